#include "bench/harness/trial/build_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "bench/harness/trial/contender_list.hpp"

namespace loopbench::bench {

namespace {

using sheets = std::span<const reports::contender>;

using groups = std::vector<std::pair<std::string, std::vector<std::string>>>;

constexpr std::string_view not_stated = "not stated";

struct compared_thing {
    std::string_view key;
    std::string_view what;
    std::string_view remedy;
};

constexpr std::array build_things{std::pair{"build_type", "build type"}, std::pair{"optimised", "optimised"},
                                  std::pair{"assertions", "assertions"},
                                  std::pair{"sanitizers", "sanitizers"}};

constexpr std::array compared_things{
    compared_thing{"build_type", "build type",
                   "link every contender with the CMake target loopbench::contender, or make sure that it is "
                   "a release build"},
    compared_thing{"compiler", "compiler",
                   "compile all contenders with the same compiler; until then, the ratios also include the "
                   "difference between the compilers"},
    compared_thing{"compiler_flags", "compiler flags", "compile all contenders with the same flags"},
    compared_thing{"allocator", "allocator",
                   "preload the same allocator for every contender, or preload none"},
    compared_thing{"timer_slack_ns", "timer slack (ns)",
                   "use the same timer slack in every contender (prctl PR_SET_TIMERSLACK)"},
    compared_thing{"clock", "clock", "measure all times with CLOCK_MONOTONIC"},
    compared_thing{"buffers", "buffer sizes", "give every contender buffers of the same size"},
};

bool is_absent(std::string_view value) {
    return value.starts_with("none");
}

void add_to(groups& all, const std::string& value, const std::string& name) {
    const auto same = std::ranges::find(all, value, &groups::value_type::first);
    if (same == all.end())
        all.push_back({value, {name}});
    else
        same->second.push_back(name);
}

groups grouped(sheets contenders, std::string_view key) {
    groups all;
    for (const reports::contender& each : contenders) {
        const auto value = reports::context_text(each.context, key).value_or(std::string{not_stated});
        if (!is_absent(value)) add_to(all, value, each.name);
    }
    return all;
}

std::string sentence(std::string_view what, const groups& all) {
    std::vector<std::string> parts;
    for (const auto& [value, names] : all)
        parts.push_back(fmt::format("{} ({})", value, fmt::join(names, ", ")));
    return fmt::format("{}: {}", what, fmt::join(parts, "; "));
}

std::string difference(std::string_view what, const groups& all) {
    return "the contenders differ in their " + sentence(what, all);
}

bool differs_from_release(sheets contenders, std::string_view key, std::string_view release) {
    return std::ranges::any_of(contenders, [&](const reports::contender& each) {
        const auto value = reports::context_text(each.context, key);
        return value && *value != release && !is_absent(*value);
    });
}

/// Parses "client A=1 B=2; server A=1" into A -> "client 1, server 1" and B -> "client 2". A text in any
/// other format becomes the value of a single option named "socket options".
std::map<std::string, std::string> options_in(const std::string& text) {
    std::map<std::string, std::string> options;
    std::string end;
    for (std::size_t at = 0; at < text.size();) {
        const auto stop = std::min(text.find(' ', at), text.size());
        auto word = text.substr(at, stop - at);
        at = stop + 1;
        if (word.ends_with(';')) word.pop_back();
        const auto sign = word.find('=');
        if (sign == std::string::npos) {
            end = word;
            continue;
        }
        auto& value = options[word.substr(0, sign)];
        if (!value.empty()) value += ", ";
        value += end.empty() ? word.substr(sign + 1) : fmt::format("{} {}", end, word.substr(sign + 1));
    }
    if (options.empty()) options["socket options"] = text;
    return options;
}

/// Adds one warning for each option that differs. A single warning with two dozen options would hide the
/// difference.
void compare_socket_options(std::vector<reports::warning>& found, sheets contenders) {
    std::vector<std::pair<std::string, std::map<std::string, std::string>>> stated;
    groups silent;
    std::set<std::string> names;
    for (const reports::contender& each : contenders) {
        const auto text = reports::context_text(each.context, "socket_options");
        if (text && is_absent(*text)) continue;
        add_to(silent,
               text && !text->starts_with(not_stated) ? "stated" : text.value_or(std::string{not_stated}),
               each.name);
        if (!text || text->starts_with(not_stated)) continue;
        stated.emplace_back(each.name, options_in(*text));
        for (const auto& option : stated.back().second) names.insert(option.first);
    }
    constexpr auto remedy =
        "set this option to the same value at both ends in every contender; until then, do not compare their "
        "socket workloads";
    if (silent.size() > 1)
        found.push_back({"different_socket_options", difference("socket options", silent), remedy});
    for (const auto& name : names) {
        groups all;
        for (const auto& [who, options] : stated) {
            const auto value = options.find(name);
            add_to(all, value == options.end() ? std::string{not_stated} : value->second, who);
        }
        if (all.size() > 1) found.push_back({"different_socket_options", difference(name, all), remedy});
    }
}

void warn_of_slowdowns(std::vector<reports::warning>& found, sheets contenders) {
    std::vector<std::string> slowed;
    for (const reports::contender& each : contenders)
        if (const auto by = reports::context_text(each.context, "slowdown"))
            slowed.push_back(fmt::format("{} by {}", each.name, *by));
    if (!slowed.empty())
        found.push_back({"injected_slowdown",
                         fmt::format("contenders are slowed down on purpose: {}", fmt::join(slowed, ", ")),
                         "unset LOOPBENCH_SLOWDOWN, which only `loopbench calibrate` should set"});
}

/// Warns if Google Benchmark itself was built differently, because its loop is part of each measured time.
void warn_of_library_builds(std::vector<reports::warning>& found, sheets contenders) {
    auto all = grouped(contenders, "library_build_type");
    std::erase_if(all, [](const auto& group) { return group.first == not_stated; });
    if (all.size() > 1)
        found.push_back({"different_library_build_type", difference("build of Google Benchmark", all),
                         "link all programs with the same build of Google Benchmark"});
}

bool states_nothing(const reports::contender& who) {
    return !reports::context_text(who.context, "socket_options") &&
           std::ranges::none_of(compared_things, [&](const compared_thing& thing) {
               return reports::context_text(who.context, thing.key).has_value();
           });
}

std::optional<std::string> mixed_builds(sheets contenders) {
    std::vector<std::string> mixed;
    for (const auto& [key, what] : build_things) {
        auto all = grouped(contenders, key);
        std::erase_if(all, [](const auto& group) { return group.first == not_stated; });
        if (all.size() > 1) mixed.push_back(sentence(what, all));
    }
    if (mixed.empty()) return std::nullopt;
    return fmt::format("{}", fmt::join(mixed, "; "));
}

bool any_is_no_release_build(sheets contenders) {
    return differs_from_release(contenders, "optimised", "yes") ||
           differs_from_release(contenders, "assertions", "off") ||
           differs_from_release(contenders, "sanitizers", "off");
}

std::vector<std::string> silent_ones(sheets contenders) {
    std::vector<std::string> names;
    for (const reports::contender& each : contenders)
        if (states_nothing(each)) names.push_back(each.name);
    return names;
}

}  // namespace

void refuse_mixed_builds(sheets contenders, std::string_view other_remedy) {
    if (const auto mixed = mixed_builds(contenders))
        throw usage_error{
            "the contenders were built differently: {}. The builds would change the ratios of the "
            "contenders, "
            "so build all contenders in the same way (cmake -DCMAKE_BUILD_TYPE=Release){}",
            *mixed, other_remedy};
}

std::vector<reports::warning> build_comparison_warnings(std::span<const reports::contender> all_contenders) {
    std::vector<reports::warning> found;
    const auto silent = silent_ones(all_contenders);
    std::vector<reports::contender> contenders;
    std::ranges::copy_if(all_contenders, std::back_inserter(contenders),
                         [](const reports::contender& each) { return !states_nothing(each); });
    if (!contenders.empty() && !silent.empty())
        found.push_back(
            {"builds_not_compared",
             fmt::format(
                 "these contenders state neither how they were built nor which socket options they use: {}",
                 fmt::join(silent, ", ")),
             "make sure that they are release builds, and make them print build_type, compiler and the other "
             "build facts in their context"});
    for (const auto& thing : compared_things)
        if (const auto all = grouped(contenders, thing.key); all.size() > 1)
            found.push_back({fmt::format("different_{}", thing.key), difference(thing.what, all),
                             std::string{thing.remedy}});
    warn_of_library_builds(found, all_contenders);
    compare_socket_options(found, contenders);
    warn_of_slowdowns(found, all_contenders);
    if (any_is_no_release_build(contenders))
        found.push_back({"no_release_build",
                         "the contenders were compiled without optimisation, or with assertions or "
                         "sanitizers, so their numbers do not apply to a release build",
                         "build them with cmake -DCMAKE_BUILD_TYPE=Release"});
    return found;
}

finding diagnose_builds(sheets contenders) {
    constexpr std::string_view about = "builds";
    if (contenders.empty())
        return {about, severity::warning, "no contenders found",
                "build them (cmake --build --preset release), install the Debian package "
                "loopbench-contenders, or "
                "pass their folder with --contender-dir"};
    if (const auto mixed = mixed_builds(contenders))
        return {
            about, severity::unreliable, *mixed,
            "build all contenders in the same way; `loopbench run` refuses contenders of different builds"};
    if (any_is_no_release_build(contenders))
        return {about, severity::unreliable,
                "some contenders were compiled without optimisation, or with assertions or sanitizers",
                "build them with cmake -DCMAKE_BUILD_TYPE=Release; numbers of this build do not apply to a "
                "release build"};
    if (const auto silent = silent_ones(contenders); !silent.empty())
        return {about, severity::warning,
                fmt::format("these contenders do not state how they were built: {}", fmt::join(silent, ", ")),
                "make sure that these are release builds"};
    return {about,
            severity::fine,
            fmt::format("{} contenders, all of them release builds", contenders.size()),
            {}};
}

}  // namespace loopbench::bench
