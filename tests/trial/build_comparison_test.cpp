// Tests which differences between the builds of contenders are refused, and which cause a warning.
#include "bench/harness/trial/build_comparison.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "bench/harness/trial/contender_list.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using nlohmann::ordered_json;

reports::contender made(std::string name, const ordered_json& changes = ordered_json::object()) {
    ordered_json context{{"build_type", "Release"},
                         {"optimised", "yes"},
                         {"assertions", "off"},
                         {"sanitizers", "off"},
                         {"compiler", "GNU 12"},
                         {"compiler_flags", "-O2"},
                         {"allocator", "glibc"},
                         {"timer_slack_ns", "50"},
                         {"clock", "CLOCK_MONOTONIC"},
                         {"buffers", "64"},
                         {"socket_options", "client TCP_NODELAY=1; server TCP_NODELAY=1"}};
    context.merge_patch(changes);
    return reports::describe(std::move(name), std::move(context));
}

std::string refusal(const std::vector<reports::contender>& contenders) {
    return complaint_of<bench::usage_error>([&] { bench::refuse_mixed_builds(contenders); });
}

std::vector<std::string> codes_of(const std::vector<reports::contender>& contenders) {
    std::vector<std::string> codes;
    for (const auto& warning : bench::build_comparison_warnings(contenders)) codes.push_back(warning.code);
    return codes;
}

using codes = std::vector<std::string>;

TEST(build_comparison, equal_builds_cause_no_warning) {
    EXPECT_EQ(refusal({made("a"), made("b")}), "");
    EXPECT_EQ(codes_of({made("a"), made("b")}), codes{});
}

TEST(build_comparison, a_mixture_of_build_types_is_refused_with_the_names_of_the_contenders_of_each_type) {
    const auto text = refusal({made("a"), made("slow", {{"build_type", "Debug"}}), made("b")});
    EXPECT_SAYS(text, "build type: Release (a, b); Debug (slow)");
    EXPECT_SAYS(text, "CMAKE_BUILD_TYPE=Release");
}

TEST(build_comparison, contenders_must_not_differ_in_optimisation_or_assertions_or_sanitizers) {
    for (const auto& [key, value] :
         {std::pair{"optimised", "no"}, {"assertions", "on"}, {"sanitizers", "address"}})
        EXPECT_SAYS(refusal({made("a"), made("odd", {{key, value}})}), std::string{value} + " (odd)") << key;
}

TEST(build_comparison, an_unknown_or_interpreted_build_is_not_refused) {
    EXPECT_EQ(refusal({made("a"), made("quiet", {{"build_type", nullptr}})}), "");
    EXPECT_EQ(refusal({made("a"), made("script", {{"build_type", "none: interpreted"}})}), "");
}

TEST(build_comparison, equal_builds_that_are_not_release_builds_cause_a_warning) {
    for (const auto& [key, value] :
         {std::pair{"optimised", "no"}, {"assertions", "on"}, {"sanitizers", "address"}}) {
        const std::vector both{made("a", {{key, value}}), made("b", {{key, value}})};
        EXPECT_EQ(refusal(both), "");
        EXPECT_EQ(codes_of(both), codes{"no_release_build"}) << key;
    }
}

TEST(build_comparison, a_different_allocator_or_compiler_causes_one_warning_that_groups_the_contenders) {
    const std::vector contenders{made("a"), made("b", {{"allocator", "jemalloc"}}), made("c"),
                                 made("d", {{"allocator", "jemalloc"}})};
    const auto warnings = bench::build_comparison_warnings(contenders);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].code, "different_allocator");
    EXPECT_SAYS(warnings[0].message, "glibc (a, c); jemalloc (b, d)");
    EXPECT_FALSE(warnings[0].remedy.empty());
    for (const auto* key : {"compiler", "compiler_flags", "timer_slack_ns", "clock", "buffers"})
        EXPECT_EQ(codes_of({made("a"), made("b", {{key, "other"}})}), codes{std::string{"different_"} + key});
}

TEST(build_comparison, an_unstated_property_causes_a_warning_but_a_feature_that_a_contender_lacks_does_not) {
    const auto warnings =
        bench::build_comparison_warnings(std::vector{made("a"), made("b", {{"clock", nullptr}})});
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].message,
              "the contenders differ in their clock: CLOCK_MONOTONIC (a); not stated (b)");
    EXPECT_EQ(codes_of({made("a"), made("b", {{"socket_options", "none: it makes no connections"}})}),
              codes{});
}

TEST(build_comparison, a_socket_option_that_differs_on_the_server_is_reported_for_client_and_server) {
    const auto warnings = bench::build_comparison_warnings(std::vector{
        made("a"), made("b", {{"socket_options", "client TCP_NODELAY=1; server TCP_NODELAY=0"}})});
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].code, "different_socket_options");
    EXPECT_EQ(warnings[0].message,
              "the contenders differ in their TCP_NODELAY: client 1, server 1 (a); client 1, server 0 (b)");
}

TEST(build_comparison, unreported_or_missing_socket_options_cause_a_warning_about_different_options) {
    EXPECT_EQ(codes_of({made("a"), made("b", {{"socket_options", nullptr}})}),
              codes{"different_socket_options"});
    EXPECT_EQ(codes_of({made("a"), made("b", {{"socket_options", "not stated: refused"}})}),
              codes{"different_socket_options"});
    const auto more = "client TCP_NODELAY=1 SO_RCVBUF=9; server TCP_NODELAY=1 SO_RCVBUF=9";
    const auto warnings =
        bench::build_comparison_warnings(std::vector{made("a"), made("b", {{"socket_options", more}})});
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].message,
              "the contenders differ in their SO_RCVBUF: not stated (a); client 9, server 9 (b)");
}

TEST(build_comparison, third_party_contenders_that_state_nothing_share_one_warning) {
    const auto third_party = reports::describe("theirs", {{"library_build_type", "release"}});
    const auto warnings = bench::build_comparison_warnings(std::vector{made("a"), third_party});
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].code, "builds_not_compared");
    EXPECT_SAYS(warnings[0].message, "theirs");
    EXPECT_EQ(codes_of({third_party, third_party}), codes{});
}

}  // namespace

}  // namespace loopbench::tests
