// Tests `loopbench check` on times, with a second session if the first one is slower.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bench/harness/summary/summary.hpp"
#include "reports/model/json.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

std::string scattering(const std::string& set_ns) {
    return set_ns + R"sh(; row "\"real_time\": $(( ns + 10 * (($(trials) * 37) % 7 - 3) ))")sh";
}

constexpr auto unreliable_row = R"sh(case "$LOOPBENCH_CONTENDER" in *~) ns=20000 ;; *) ns=10000 ;; esac
row "\"real_time\": $(( ns + $(trials) % 3 ))")sh";

class check_timed : public testing::Test {
protected:
    check_timed() {
        loopbench.add_contender("asio-epoll", scattering("ns=10000"));
        loopbench.add_contender("loop-epoll", scattering("ns=5000"));
    }

    bench::child_outcome check(std::vector<std::string> more = {}, const char* workload = "yield") {
        more.insert(more.begin(),
                    {"check", "--against", baseline(), "-o", loopbench.out(), "--workload", workload});
        return loopbench(more);
    }

    void update() {
        const auto ran = check({"--update", "--tier", "times"});
        ASSERT_EQ(ran.code, 0) << ran.error_tail;
        const auto written = nlohmann::json::parse(content_of(baseline()));
        EXPECT_TRUE(fits(written, LOOPBENCH_BASELINE_SCHEMA));
        EXPECT_EQ(written["times"]["ratios"].size(), 1U);
        EXPECT_NEAR(written["times"]["ratios"][0]["median"].get<double>(), 2, 0.02);
    }

    std::string second_session() const {
        return fmt::format("[ -d {} ]", loopbench.path("out/second").native());
    }

    std::string baseline() const { return loopbench.path("baseline.json").native(); }

    loopbench_command loopbench;
};

TEST_F(check_timed, an_unchanged_build_passes_after_one_session) {
    update();
    const auto ran = check();
    EXPECT_EQ(ran.code, 0) << ran.output << ran.error_tail;
    EXPECT_EQ(ran.output, "PASS: 1 result, not slower.\n");
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("out/second")));
}

TEST_F(check_timed, the_baseline_file_records_whether_the_size_is_small_or_full) {
    constexpr auto says_its_size = R"sh(, "size": "'"${LOOPBENCH_SIZE:-full}"'")sh";
    loopbench.add_contender("asio-epoll", scattering("ns=10000"), says_its_size);
    loopbench.add_contender("loop-epoll", scattering("ns=5000"), says_its_size);
    const auto size_of_baseline = [&] {
        return nlohmann::json::parse(content_of(baseline()))["times"]["size"];
    };
    ASSERT_EQ(check({"--update", "--tier", "times", "--quick"}).code, 0);
    EXPECT_EQ(size_of_baseline(), "small");
    const auto same = check();
    EXPECT_EQ(same.code, 0) << same.output << same.error_tail;
    const auto small =
        loopbench({"run", "--quick", "--blocks", "20", "--workload", "yield", "-o", loopbench.out()});
    ASSERT_EQ(small.code, 0) << small.error_tail;
    const auto report = loopbench.path("out/report.json").native();
    const auto said = loopbench.report();
    for (const auto& who : said.at("contenders")) EXPECT_EQ(who["context"]["size"], "small") << who;
    EXPECT_EQ(check({report}).code, 0);
    std::filesystem::remove(baseline());
    ASSERT_EQ(check({"--update", "--tier", "times", report}).code, 0);
    EXPECT_EQ(size_of_baseline(), "small");
}

TEST_F(check_timed, updating_with_a_report_of_another_size_drops_the_old_ratios) {
    const auto command = [&](std::vector<std::string> more) {
        more.insert(more.begin(),
                    {"check", "--update", "--tier", "times", "--against", baseline(), "-o", loopbench.out()});
        const auto ran = loopbench(more);
        EXPECT_EQ(ran.code, 0) << ran.error_tail;
        return nlohmann::json::parse(content_of(baseline()))["times"];
    };
    EXPECT_EQ(command({"--workload", "*"})["ratios"].size(), 2U);
    ASSERT_EQ(loopbench({"run", "--quick", "--blocks", "20", "-o", loopbench.path("small").native()}).code,
              0);
    const auto times = command({"--workload", "yield", loopbench.path("small/report.json").native()});
    EXPECT_EQ(times["size"], "small");
    ASSERT_EQ(times["ratios"].size(), 1U) << times;
    EXPECT_EQ(times["ratios"][0]["workload"], "yield");
}

TEST_F(check_timed, a_session_uses_the_pairing_of_the_baseline_file) {
    const auto on_cpu = [](int ns) {
        return fmt::format(R"sh(ns=$(( {} + 10 * (($(trials) * 37) % 7 - 3) ))
row "\"real_time\": $ns, \"cpu_time\": $ns")sh",
                           ns);
    };
    loopbench.add_contender("asio-epoll", on_cpu(10'000));
    loopbench.add_contender("loop-epoll", on_cpu(5000));
    constexpr auto workload =
        "echo/rtt/conns:1";  // this name is not in the catalog, where a workload can have a fixed pairing
    ASSERT_EQ(check({"--update", "--tier", "times", "--pairing", "concurrent"}, workload).code, 0);
    EXPECT_EQ(nlohmann::json::parse(content_of(baseline()))["times"]["ratios"][0]["pairing"], "concurrent");
    const auto ran = check({}, workload);
    EXPECT_EQ(ran.code, 0) << ran.output << ran.error_tail;
    EXPECT_EQ(check({"--pairing", "sequential"}, workload).code, 4) << "the option sets the pairing";
    ASSERT_EQ(check({"--update"}, workload).code, 0);
    EXPECT_EQ(nlohmann::json::parse(content_of(baseline()))["times"]["ratios"][0]["pairing"], "sequential");
}

TEST_F(check_timed, an_update_is_refused_before_it_measures_if_no_workload_is_shared_with_the_baseline) {
    std::filesystem::remove(loopbench.path("bin/contenders/loop-epoll"));
    loopbench.add_contender_of("sort", "mine", scattering("ns=10000"));
    const auto ran = check({"--update", "--tier", "times", "--contender", "mine"}, "sort");
    EXPECT_EQ(ran.code, 2) << ran.error_tail;
    for (const auto* part : {"asio-epoll", "mine", "loopbench compare"}) EXPECT_SAYS(ran.error_tail, part);
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("out/journal.jsonl")));
}

TEST_F(check_timed, a_slower_build_is_a_regression_confirmed_by_a_second_session) {
    update();
    loopbench.add_contender("loop-epoll", scattering("ns=5400"));
    const auto ran = check();
    EXPECT_EQ(ran.code, 3) << ran.output << ran.error_tail;
    EXPECT_SAYS(ran.output, "regression time of loop-epoll on yield: ");
    EXPECT_SAYS(ran.output, " % slower than expected");
    EXPECT_SAYS(ran.output, ": 1.8");
    EXPECT_SAYS(ran.output, "the first run found 1.8");
    EXPECT_TRUE(std::filesystem::exists(loopbench.path("out/second/journal.jsonl")));
}

TEST_F(check_timed, the_check_passes_with_a_message_if_only_the_first_session_shows_a_slowdown) {
    update();
    loopbench.add_contender("loop-epoll", scattering("ns=5400; " + second_session() + " && ns=5000"));
    const auto ran = check({"--format", "json"});
    EXPECT_EQ(ran.code, 0) << ran.output << ran.error_tail;
    const auto found = nlohmann::json::parse(ran.output)["findings"][0];
    EXPECT_EQ(found["found"], "holds");
    EXPECT_SAYS(found["message"].get<std::string>(), "does not confirm") << found;
}

TEST_F(check_timed, a_faster_build_shows_that_the_baseline_file_is_loose) {
    update();
    loopbench.add_contender("loop-epoll", scattering("ns=4000"));
    const auto ran = check();
    EXPECT_EQ(ran.code, 0) << ran.output << ran.error_tail;
    EXPECT_SAYS(ran.output, "looser     time of loop-epoll on yield: ");
    EXPECT_SAYS(ran.output, ": 2.5");
}

TEST_F(check_timed, a_check_whose_budget_is_too_small_is_inconclusive) {
    update();
    const auto ran = check({"--budget", "20ms"});
    EXPECT_EQ(ran.code, 4) << ran.output << ran.error_tail;
    EXPECT_SAYS(ran.output, "--budget");
    EXPECT_EQ(check({"--blocks", "3"}).code, 4);
}

TEST_F(check_timed, a_session_whose_aa_copy_differs_is_unreliable_even_if_the_build_is_slower) {
    update();
    loopbench.add_contender("asio-epoll", unreliable_row);
    EXPECT_EQ(check().code, 5);
    loopbench.add_contender("loop-epoll", scattering("ns=50000"));
    const auto ran = check();
    EXPECT_EQ(ran.code, 5) << ran.output << ran.error_tail;
    EXPECT_SAYS(ran.output, "unreliable time of all workloads: ");
}

TEST_F(check_timed, a_check_is_unreliable_if_the_aa_copy_of_its_second_session_differs) {
    update();
    loopbench.add_contender("loop-epoll", scattering("ns=5400"));
    loopbench.add_contender("asio-epoll", fmt::format("if {}; then {}; else {}; fi", second_session(),
                                                      unreliable_row, scattering("ns=10000")));
    EXPECT_EQ(check().code, 5);
}

TEST_F(check_timed, an_update_never_writes_an_unreliable_session_into_the_baseline_file) {
    update();
    const auto before = content_of(baseline());
    loopbench.add_contender("asio-epoll", unreliable_row);
    const auto unreliable = check({"--update"});
    EXPECT_EQ(unreliable.code, 5);
    EXPECT_SAYS(unreliable.error_tail, "`loopbench doctor`");
    const auto unknown = check({"--update", "--blocks", "3"});
    EXPECT_EQ(unknown.code, 4);
    const auto journal = loopbench.path("out/first/journal.jsonl").native();
    const auto report = nlohmann::json::parse(loopbench({"report", journal, "--format", "json"}).output);
    EXPECT_SAYS(unknown.error_tail, "(--blocks)");
    EXPECT_SAYS(unknown.error_tail, report.at("aa").at("reason").get<std::string>());
    EXPECT_EQ(content_of(baseline()), before);
}

TEST_F(check_timed, an_update_names_every_result_that_cannot_be_written_into_the_baseline_file) {
    const auto refused = [&](const std::vector<std::string>& words, int code, const std::string& why) {
        const auto before = content_of(baseline());
        const auto ran = check(words);
        EXPECT_EQ(ran.code, code) << ran.output << ran.error_tail;
        EXPECT_SAYS(ran.error_tail, code == 1 ? "repair it, or leave it out with --workload" : "--budget");
        EXPECT_SAYS(ran.error_tail, "was not written: " + why);
        EXPECT_EQ(content_of(baseline()), before);
    };
    update();
    const auto report = loopbench.path("report.json").native();
    const auto first = nlohmann::json::parse(content_of(loopbench.path("out/first/report.json")));
    const auto with = [&](const char* contender, const auto& change) {
        auto content = first;
        for (auto& item : content["results"])
            if (item["contender"] == contender && item["metric"] == "time") change(item);
        reports::write_file_atomically(report, content.dump());
    };
    const auto ended = [](const char* status) {
        return [=](nlohmann::json& item) {
            item["status"] = status;
            item["reason"] = "why";
            item["ratio"] = item["verdict"] = item["median"] = item["low"] = item["high"] = nullptr;
            item["samples"] = nlohmann::json::array();
        };
    };
    for (const auto* who : {"loop-epoll", "asio-epoll"}) {
        with(who, ended("failed"));
        for (const auto* tier : {"times", "counts"})
            refused({"--update", "--tier", tier, report}, 1, who + std::string{" on yield failed: why"});
        with(who, ended("not_run"));
        refused({"--update", report}, 4, who + std::string{" on yield was not measured: why"});
    }
    with("loop-epoll", [](nlohmann::json& item) { item["ratio"]["low"] = nullptr; });
    const auto wide = check({"--update", report});
    EXPECT_EQ(wide.code, 0) << wide.error_tail;
    EXPECT_SAYS(wide.error_tail,
                "time of loop-epoll on yield is not in the baseline file: its ratio has no interval");
    with("loop-epoll", ended("unsupported"));
    EXPECT_SAYS(check({"--update", report}).error_tail,
                "time of loop-epoll on yield is not in the baseline file: why");
    loopbench.add_contender("loop-epoll", "exit 7");
    refused({"--update"}, 1, "loop-epoll on yield failed: ");
}

TEST_F(check_timed, an_interrupted_update_leaves_the_baseline_file_unchanged) {
    const auto expect_interrupted = [&] {
        const auto now = [&] {
            return std::filesystem::exists(baseline()) ? content_of(baseline()) : std::string{};
        };
        const auto before = now();
        const auto ran = check({"--update", "--tier", "times"});
        EXPECT_EQ(ran.code, 130) << ran.output << ran.error_tail;
        EXPECT_EQ(ran.output, "");
        EXPECT_EQ(now(), before);
        for (const auto& entry : std::filesystem::directory_iterator{loopbench.path("")})
            EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
    };
    loopbench.add_contender("loop-epoll", "[ $(trials) != 10 ] || kill -INT $PPID\n" + scattering("ns=5000"));
    expect_interrupted();
    const auto cut = loopbench.path("out/first/journal.jsonl").native();
    EXPECT_EQ(check({"--update", "--tier", "times", cut}).code, 4) << "it is of an interrupted run";
    EXPECT_FALSE(std::filesystem::exists(baseline()));
    loopbench.add_contender("loop-epoll", scattering("ns=5000"));
    update();
    write_script(loopbench.path("bin/contenders/loop-epoll"), "kill -INT $PPID; exec sleep 100");
    expect_interrupted();
}

TEST_F(check_timed, a_check_against_a_baseline_file_of_another_machine_is_inconclusive) {
    update();
    auto other = nlohmann::ordered_json::parse(content_of(baseline()));
    other["times"]["machine"] = "a faster one";
    reports::write_file_atomically(baseline(), other.dump());
    const auto ran = check();
    EXPECT_EQ(ran.code, 4) << ran.output;
    EXPECT_SAYS(ran.output, "another machine (a faster one; ");
}

TEST_F(check_timed, a_failing_contender_causes_an_error) {
    update();
    loopbench.add_contender("loop-epoll", "exit 7");
    const auto ran = check();
    EXPECT_EQ(ran.code, 1) << ran.output << ran.error_tail;
    EXPECT_SAYS(ran.output, "exit code 7");
}

TEST_F(check_timed, a_second_report_confirms_the_regression_that_the_checked_report_shows) {
    update();
    const auto run = [&](const char* folder) {
        const auto ran = loopbench(
            {"run", "--blocks", "20", "--workload", "yield", "-o", loopbench.path(folder).native()});
        EXPECT_EQ(ran.code, 0) << ran.error_tail;
        return loopbench.path(folder) / "report.json";
    };
    const auto good = run("good");
    EXPECT_EQ(check({good}).code, 0);
    EXPECT_EQ(check({loopbench.path("good/journal.jsonl").native()}).code, 0)
        << "a journal replaces a report";
    loopbench.add_contender("loop-epoll", scattering("ns=5400"));
    const auto slow = run("slow"), slow_again = run("slow_again");
    const auto once = check({slow});
    EXPECT_EQ(once.code, 4) << once.output;
    EXPECT_SAYS(once.output, "second report");
    EXPECT_EQ(check({slow, slow_again}).code, 3);
    EXPECT_EQ(check({slow, good}).code, 0);
    const auto same = check({slow, slow});
    EXPECT_EQ(same.code, 2);
    EXPECT_SAYS(same.error_tail, "only another run can confirm");
    auto undated = nlohmann::json::parse(content_of(slow));
    undated["plan"] = nullptr;
    undated["environment"]["date"] = "";
    const auto file = loopbench.path("undated.json").native();
    reports::write_file_atomically(file, undated.dump());
    EXPECT_SAYS(check({file, file}).error_tail, "only another run can confirm") << "the samples are the same";
    auto part = nlohmann::json::parse(content_of(slow_again));
    part["warnings"].push_back({{"code", "shard"}, {"message", "this is shard 1 of 2"}, {"remedy", "merge"}});
    const auto shard = loopbench.path("shard.json").native();
    reports::write_file_atomically(shard, part.dump());
    EXPECT_EQ(check({slow, shard}).code, 2) << "the merged report contains the trials of the shard";
    EXPECT_EQ(check({shard, slow}).code, 2);
}

TEST_F(check_timed, standard_output_contains_only_the_requested_format) {
    update();
    loopbench.add_contender("loop-epoll", scattering("ns=5400"));
    const auto starts = [&](const char* format, std::string_view front) {
        const auto ran = check({"--format", format});
        EXPECT_EQ(ran.code, 3) << ran.error_tail;
        EXPECT_TRUE(ran.output.starts_with(front)) << ran.output;
        EXPECT_EQ(ran.error_tail, "");
    };
    starts("github", "::notice title=loopbench::SLOWER: yield by 7.");
    starts("junit", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>");
    starts("markdown", "**SLOWER: yield by 7.");
    starts("json", "{\n \"schema\": \"loopbench-check/1\"");
}

TEST_F(check_timed, a_file_that_is_not_a_baseline_file_causes_a_usage_error) {
    const auto refused = [&](const std::string& text, const char* cause) {
        reports::write_file_atomically(baseline(), text);
        const auto ran = check();
        EXPECT_EQ(ran.code, 2) << text;
        EXPECT_EQ(ran.output, "");
        for (const std::string& part : {baseline(), std::string{cause}, std::string{"check --update"}})
            EXPECT_SAYS(ran.error_tail, part);
    };
    const auto missing = check();
    EXPECT_EQ(missing.code, 2);
    EXPECT_SAYS(missing.error_tail, "there is no baseline");
    refused("{syscalls: 3}", "invalid or incomplete JSON");
    refused(R"({"schema": "loopbench-baseline/2", "slack": {"per)", "incomplete JSON");
    reports::write_file_atomically(baseline(), reports::write_json(sample_report()));
    EXPECT_EQ(check().code, 2);
    EXPECT_EQ(check({"--update"}).code, 2) << "--update must not overwrite the file";
}

TEST_F(check_timed, options_that_select_nothing_and_unknown_names_cause_usage_errors) {
    update();
    EXPECT_EQ(check({"--tier", "counts"}).code, 2);
    EXPECT_EQ(check({"--contender", "loop-epol"}).code, 2);
    EXPECT_EQ(loopbench({"check"}).code, 2) << "--against is missing";
    EXPECT_EQ(check({"--format", "xml"}).code, 2);
    EXPECT_EQ(check({"--update", "--format", "json"}).code, 2);
    std::filesystem::remove(loopbench.path("bin/contenders/loop-epoll"));
    const auto gone = check();
    EXPECT_EQ(gone.code, 2);
    EXPECT_SAYS(gone.error_tail, "contender loop-epoll, which does not exist");
}

}  // namespace

}  // namespace loopbench::tests
