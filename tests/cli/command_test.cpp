// Tests the real command on fake contenders that succeed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/command_support.hpp"
#include "tests/support/journal_lines.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

using nlohmann::json;

constexpr auto baseline_row =
    R"(row '"real_time": 10, "time_unit": "us", "items_per_second": 100000, "spin": 1')";
constexpr auto faster_row =
    R"(row '"real_time": 5, "time_unit": "us", "items_per_second": 200000, "late_p50": NaN')";

class command : public testing::Test {
protected:
    command() {
        loopbench.add_contender("asio-epoll", baseline_row);
        loopbench.add_contender("loop-epoll", faster_row);
    }
    loopbench_command loopbench;
};

TEST_F(command, the_run_command_measures_the_contenders_and_writes_the_report_files) {
    const auto ran = loopbench({"run", "--quick", "--seed", "7", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    const auto report = loopbench.report();
    EXPECT_TRUE(fits_the_schema(report));
    EXPECT_EQ(report["complete"], true);
    EXPECT_EQ(report["seed"], 7);
    EXPECT_EQ(report["plan"]["size"], "small");
    EXPECT_EQ(report["plan"]["blocks"], 10);
    EXPECT_EQ(report["warnings"], json::array());
    EXPECT_EQ(report["aa"]["found"], "reliable");
    EXPECT_EQ(report["aa"]["aa_copy"], "asio-epol~");
    EXPECT_EQ(report["aa"]["comparisons"].size(), 2U);
    const auto time = time_of(report, "loop-epoll");
    EXPECT_EQ(time["samples"], std::vector<double>(10, 5000));
    EXPECT_DOUBLE_EQ(time["ratio"]["median"].get<double>(), 2);
    EXPECT_EQ(time["verdict"], "faster");
    EXPECT_EQ(report["contenders"][1]["library"], "fake");
    EXPECT_EQ(first_trials_in(loopbench.path("out/journal.jsonl")), 2 * 3 * 10);
    EXPECT_TRUE(content_of(loopbench.path("out/report.csv")).starts_with("workload,contender,metric,"));
    EXPECT_SAYS(ran.output, "10.0µs");
    EXPECT_EQ(ran.output.find("2.00 [2.00, 2.00]"), std::string::npos) << ran.output;
    EXPECT_EQ(ran.output.find('\x1b'), std::string::npos) << "not a terminal";
}

// `make bench` runs a command that is not installed, so the suggested command must contain its path.
TEST_F(command, the_command_that_a_run_suggests_at_its_end_works_as_printed) {
    const auto ran = loopbench({"run", "--quick", "-o", loopbench.path("what's measured")});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    const auto found = ran.output.find("every table and warning");
    ASSERT_NE(found, std::string::npos) << ran.output;
    const auto begin = ran.output.find('\n', found) + 3;
    const auto again = loopbench.in_shell(ran.output.substr(begin, ran.output.find('\n', begin) - begin));
    EXPECT_EQ(again.code, 0) << again.error_tail;
    EXPECT_SAYS(again.output, "2.00 [2.00, 2.00]");
}

TEST_F(command, a_run_with_the_option_verbose_prints_every_table) {
    const auto verbose = loopbench({"run", "--quick", "--verbose", "-o", loopbench.out()});
    EXPECT_EQ(verbose.code, 0) << verbose.error_tail;
    EXPECT_SAYS(verbose.output, "2.00 [2.00, 2.00]");
    const auto file = loopbench.path("out/report.json").native();
    const auto text = loopbench({"report", file, "--format", "text"});
    EXPECT_TRUE(verbose.output.starts_with(text.output)) << text.output;
    const auto screen = loopbench({"report", file, "--format", "screen"});
    const auto resumed = loopbench({"run", "--resume", loopbench.out()});
    EXPECT_TRUE(resumed.output.starts_with(screen.output)) << resumed.output << screen.output;
    EXPECT_TRUE(loopbench({"run", "--resume", loopbench.out(), "--verbose"}).output.starts_with(text.output));
}

TEST_F(command, runs_with_the_same_seed_have_the_same_order_of_trials) {
    const auto order = [&] {
        loopbench({"run", "--blocks", "3", "--seed", "11", "-o", loopbench.out()});
        std::string cells;
        for (const auto& line : journal_lines(loopbench.path("out/journal.jsonl")))
            if (line.value("attempt", 1) == 0)
                cells += line["contender"].dump() + line["workload"].dump() + "\n";
        return cells;
    };
    const auto first = order();
    EXPECT_EQ(order(), first);
}

TEST_F(command, the_options_quick_and_full_set_the_size_the_time_per_trial_and_the_budget) {
    loopbench.add_contender("witness", R"(echo "$LOOPBENCH_SIZE $3" > "$0.seen"; row '"real_time": 1')");
    const auto seen = [&](std::vector<std::string> mode) {
        mode.insert(mode.begin(), "run");
        for (const auto* word : {"--contender", "witness", "--workload", "yield", "-o"})
            mode.emplace_back(word);
        mode.push_back(loopbench.out());
        EXPECT_EQ(loopbench(mode).code, 0);
        return content_of(loopbench.path("bin/contenders/witness.seen")) +
               journal_lines(loopbench.path("out/journal.jsonl"))[0]["plan"]["budget_s"].dump() + " " +
               journal_lines(loopbench.path("out/journal.jsonl"))[0]["plan"]["blocks"].dump();
    };
    EXPECT_EQ(seen({"--quick"}), "small --benchmark_min_time=0.01\n55.0 10");
    EXPECT_EQ(seen({}), "full --benchmark_min_time=0.5\nnull 10");
    EXPECT_EQ(seen({"--full"}), "full --benchmark_min_time=0.5\n1800.0 10");
    EXPECT_EQ(seen({"--full", "--budget", "2min", "--blocks", "2"}),
              "full --benchmark_min_time=0.5\n120.0 2");
}

TEST_F(command, every_measuring_command_has_the_same_measuring_options) {
    for (const auto* which : {"run", "compare", "check", "calibrate"})
        for (const auto* option :
             {"--budget", "--min-time", "--trial-limit", "--pin", "--seed", "--threshold"})
            EXPECT_SAYS(loopbench({which, "--help"}).output, option) << option << " of " << which;
}

TEST_F(command, percentages_are_accepted_with_and_without_a_percent_sign) {
    const auto planned = [&](const char* precision, const char* threshold) {
        loopbench({"run", "--workload", "yield", "--precision", precision, "--budget", "1min", "--threshold",
                   threshold, "-o", loopbench.out()});
        const auto plan = journal_lines(loopbench.path("out/journal.jsonl"))[0]["plan"];
        return std::pair{plan["precision_pct"].get<double>(), plan["threshold_pct"].get<double>()};
    };
    EXPECT_EQ(planned("2", "0"), (std::pair{2.0, 0.0}));
    EXPECT_EQ(planned("2.5%", "0%"), (std::pair{2.5, 0.0}));
    const auto old = loopbench.path("bin/contenders/asio-epoll").native();
    EXPECT_NE(loopbench({"compare", old, old, "--blocks", "1", "--threshold", "1%", "--tolerate", "5%", "-o",
                         loopbench.out()})
                  .code,
              2);
}

TEST_F(command, a_quick_run_omits_contenders_only_if_no_contender_or_workload_is_selected) {
    loopbench.add_contender("libuv", faster_row);
    const auto has_libuv = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"run", "--quick", "--blocks", "1", "-o", loopbench.out()});
        EXPECT_EQ(loopbench(more).code, 0);
        return time_of(loopbench.report(), "libuv") != nullptr;
    };
    EXPECT_FALSE(has_libuv({}));
    EXPECT_TRUE(has_libuv({"--workload", "yield"}));
    EXPECT_TRUE(has_libuv({"--contender", "l*"}));
}

TEST_F(command, a_run_with_many_results_plans_more_blocks_unless_their_number_is_chosen) {
    for (int i = 0; i < 20; ++i) loopbench.add_contender("mine-" + std::to_string(i), good_row);
    const auto blocks_with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"run", "--contender", "*", "--quick", "-o", loopbench.out()});
        EXPECT_NE(loopbench(more).code, 2);
        return loopbench.report()["plan"]["blocks"].get<int>();
    };
    EXPECT_EQ(blocks_with({}), 11) << "2 * 2^-11 is below 0.05 / 42";
    EXPECT_EQ(blocks_with({"--blocks", "1"}), 1);
}

TEST_F(command, trials_run_on_the_pinned_cpu_with_random_environment_sizes) {
    loopbench.add_contender("asio-epoll", R"sh(
grep Cpus_allowed_list /proc/self/status >> "$0.cpus"
env | grep -c '^LOOPBENCH_PADDING=' >> "$0.padded"
printf %s "$LOOPBENCH_PADDING" | wc -c >> "$0.sizes"
row '"real_time": 10')sh");
    const auto ran = loopbench({"run", "--pin", "0", "--seed", "1", "--contender", "asio-epoll", "--workload",
                                "yield", "--blocks", "6", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    const auto lines_of = [&](const char* file) {
        std::istringstream text{content_of(loopbench.path(std::string{"bin/contenders/asio-epoll."} + file))};
        std::set<std::string> distinct;
        for (std::string line; std::getline(text, line);) distinct.insert(line);
        return distinct;
    };
    EXPECT_EQ(lines_of("cpus"), std::set<std::string>{"Cpus_allowed_list:\t0"});
    EXPECT_EQ(lines_of("padded"), std::set<std::string>{"1"});
    EXPECT_GT(lines_of("sizes").size(), 6U);
    EXPECT_EQ(loopbench({"run", "--pin", "4095", "-o", loopbench.out()}).code, 2);
}

TEST_F(command, the_help_explains_how_trials_are_run) {
    for (const auto* subcommand : {"run", "compare"}) {
        const auto text = loopbench({subcommand, "--help"}).output;
        for (const auto* wanted : {"--pin", "--seed", "--trial-limit", "environment", "another name",
                                   "random", "A/A copy", "docs/method.md"})
            EXPECT_SAYS(text, wanted) << subcommand << " --help has no " << wanted;
    }
}

TEST_F(command, the_help_shows_each_option_beside_its_description) {
    for (const auto* subcommand :
         {"list", "run", "compare", "check", "calibrate", "doctor", "report", "explain"}) {
        const auto text = loopbench({subcommand, "--help"}).output;
        for (const auto* clutter : {"Excludes:", "Needs:", "TEXT", "REQUIRED", "...", ":{", "0x"})
            EXPECT_EQ(text.find(clutter), std::string::npos) << clutter << " in " << text;
    }
    const auto text = loopbench({"run", "--help"}).output;
    EXPECT_SAYS(text, "  --seed N                    seed of the random order");
    EXPECT_SAYS(loopbench({"report", "--help"}).output, "  --format json|csv|markdown|");
}

std::vector<std::string> all_commands(const loopbench_command& loopbench) {
    const std::regex name{R"(\n  ([a-z]+)  )"};
    std::vector<std::string> all;
    const auto add = [&](const std::string& help, const std::string& before) {
        for (std::sregex_iterator found{help.begin(), help.end(), name}, end; found != end; ++found)
            all.push_back(before + (*found)[1].str());
    };
    add(loopbench({"--help"}).output, "");
    add(loopbench({"history", "--help"}).output, "history ");
    return all;
}

std::string help_of(const loopbench_command& loopbench, const std::string& command) {
    std::istringstream words{command};
    std::vector<std::string> arguments{std::istream_iterator<std::string>{words}, {}};
    arguments.emplace_back("--help");
    return loopbench(arguments).output;
}

TEST_F(command, the_help_of_each_command_begins_with_a_sentence_and_fits_into_100_columns) {
    const auto commands = all_commands(loopbench);
    EXPECT_GT(commands.size(), 15U);
    for (const auto& each : commands) {
        std::istringstream lines{help_of(loopbench, each)};
        std::string line;
        std::getline(lines, line);
        EXPECT_TRUE(std::isupper(static_cast<unsigned char>(line.front())) && line.ends_with('.')) << line;
        // Only the line that lists all values of --format can be longer than 100 columns.
        while (std::getline(lines, line))
            EXPECT_TRUE(line.size() <= 100 || line.find('|') != std::string::npos) << each << ": " << line;
    }
}

TEST_F(command, the_help_groups_options_under_headings) {
    const auto text = loopbench({"run", "--help"}).output;
    std::size_t at = 0;
    for (const auto* part :
         {"\nWhat to measure:\n", "\n  --workload ", "\nHow long:\n", "\n  --budget ",
          "\nHow trials are run:\n", "\n  --pin ", "\nHow results are judged:\n", "\n  --threshold ",
          "\nOutput:\n", "\n  -o,--output ", "\n  -h,--help ", "\nExamples:\n"}) {
        const auto found = text.find(part, at);
        ASSERT_NE(found, std::string::npos) << part << " is missing or misplaced in\n" << text;
        at = found;
    }
    for (const auto& each : all_commands(loopbench))
        EXPECT_FALSE(std::regex_search(help_of(loopbench, each), std::regex{R"(\nOptions:\n  --)"}))
            << each << " has an option without a heading";
}

TEST_F(command, the_examples_in_the_help_use_existing_commands_and_options) {
    const auto commands = all_commands(loopbench);
    for (const auto& each : commands) {
        std::istringstream lines{help_of(loopbench, each)};
        int examples = 0;
        for (std::string line; std::getline(lines, line);) {
            if (!line.starts_with("  loopbench ")) continue;
            ++examples;
            std::istringstream words{line};
            std::string loopbench_word, name, word;
            words >> loopbench_word >> name >> word;
            if (name == "history") name += " " + word;
            EXPECT_TRUE(std::ranges::count(commands, name) == 1) << line;
            const auto help = help_of(loopbench, name);
            for (; words && word != "--"; words >> word)
                if (word.starts_with("-")) {
                    EXPECT_TRUE(says(help, "  " + word + " ") || says(help, "," + word + " ") ||
                                says(help, "  " + word + ",") || says(help, "  " + word + "\n"))
                        << line << ": " << word;
                }
        }
        EXPECT_TRUE(examples >= 2 && examples <= 4) << each << " has " << examples;
    }
}

TEST_F(command, a_run_without_the_baseline_prints_a_warning_with_a_remedy) {
    const auto ran = loopbench({"run", "--contender", "loop*", "--workload", "yield", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(time_of(loopbench.report(), "loop-epoll")["ratio"], nullptr);
    EXPECT_SAYS(ran.error_tail, "add --contender asio-epoll");
    const auto killed = loopbench.in_shell(
        "echo 'kill -KILL $PPID' >> $folder/bin/contenders/loop-epoll; "
        "$loopbench run --contender 'loop*' --workload yield -o $out 2> $folder/said; cat $folder/said");
    EXPECT_SAYS(killed.output, "add --contender asio-epoll");
}

TEST_F(command, an_unselected_contender_is_not_started) {
    write_script(loopbench.path("bin/contenders/loud"), "touch $0.started\n");
    const std::vector<std::string> chosen{"run", "--contender", "asio-epoll",    "--blocks",
                                          "1",   "-o",          loopbench.out(), "--workload"};
    const auto with = [&](const char* workload) {
        auto arguments = chosen;
        arguments.emplace_back(workload);
        return loopbench(arguments);
    };
    EXPECT_EQ(with("yield").code, 0);
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("bin/contenders/loud.started")));
    // No selected contender has the workload `no_such`, so every contender is started to list its workloads.
    EXPECT_EQ(with("no_such").code, 2);
    EXPECT_TRUE(std::filesystem::exists(loopbench.path("bin/contenders/loud.started")));
}

TEST_F(command, a_contender_without_the_chosen_workloads_is_measured_only_if_it_is_selected) {
    loopbench.add_contender_of("threads/ping/threads:2", "asio-shared", good_row);
    const auto contenders_with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"run", "--blocks", "1", "-o", loopbench.out()});
        EXPECT_EQ(loopbench(more).code, 0);
        const json report = loopbench.report();
        std::set<std::string> names;
        for (const auto& each : report.at("contenders")) names.insert(each.at("name"));
        return names;
    };
    EXPECT_FALSE(contenders_with({"--workload", "yield"}).contains("asio-shared"));
    EXPECT_TRUE(contenders_with({"--workload", "yield", "--contender", "*"}).contains("asio-shared"));
    EXPECT_FALSE(contenders_with({"--full"}).contains("asio-shared"));
    EXPECT_TRUE(contenders_with({"--full", "--contender", "asio-shared"}).contains("asio-shared"));
    const auto of_threads = contenders_with({"--workload", "threads"});
    EXPECT_TRUE(of_threads.contains("asio-shared"));
    EXPECT_FALSE(of_threads.contains("asio-epoll"));
    EXPECT_EQ(loopbench.report()["baseline"], "asio-shared") << "the default baseline of these workloads";
}

TEST_F(command, a_selected_workload_that_no_selected_contender_has_is_shown_as_unsupported) {
    write_script(loopbench.path("bin/contenders/other"), "echo special/work\n");
    const auto ran = loopbench({"run", "--contender", "asio-epoll", "--blocks", "1", "--workload", "special",
                                "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    EXPECT_SAYS(ran.output, "- asio-epoll: ");
}

TEST_F(command, the_notice_states_each_workloads_own_reason_for_sequential_trials) {
    const auto error_of = [&](const char* workload, const char* sheet = R"(, "slices": "1")") {
        for (const auto* name : {"asio-epoll", "loop-epoll"})
            loopbench.add_contender_of(workload, name, good_row, sheet);
        return loopbench(
                   {"run", "--full", "--pairing", "interleaved", "--blocks", "1", "-o", loopbench.out()})
            .error_tail;
    };
    EXPECT_SAYS(error_of("yield"), "system calls");
    const auto unix_echo = error_of("echo/rtt/unix/conns:1000/bytes:64");
    EXPECT_SAYS(unix_echo, "six round trips on each connection");
    EXPECT_FALSE(says(unix_echo, "TCP")) << unix_echo;
    EXPECT_FALSE(says(error_of("pipe/read/bytes:4096"), "note: ")) << "it is interleaved";
    EXPECT_SAYS(error_of("pipe/read/bytes:4096", ""), "asio-epoll does not support slices");
}

TEST_F(command, the_compare_command_says_which_trials_are_sequential_and_why) {
    for (const std::string name : {"asio-epoll", "loop-epoll"})
        loopbench.add_contender_of("yield", name, good_row,
                                   R"(, "slices": "1", "contender": ")" + name + "\"");
    const auto compared = [&](const std::string& next, std::vector<std::string> options) {
        const auto folder = loopbench.path("bin/contenders").native() + "/";
        options.insert(options.begin(), {"compare", folder + "asio-epoll", folder + next, "--blocks", "1",
                                         "-o", loopbench.out()});
        return loopbench(options).error_tail;
    };
    const auto other = compared("loop-epoll", {});
    for (const auto* part : {"sequential for yield", "unless all are builds of one program"})
        EXPECT_SAYS(other, part);
    EXPECT_SAYS(compared("asio-epoll", {}), "interleaved for 1 of 1");
    EXPECT_FALSE(says(compared("loop-epoll", {"--pairing", "sequential"}), "note: "));
}

TEST_F(command, a_benchmark_that_only_one_build_has_is_listed_and_does_not_affect_the_verdict) {
    loopbench.add_contender_of("mine", "old", good_row);
    loopbench.add_contender_of("mine\nadded", "new", fmt::format("workload=mine\n{}", good_row));
    const auto folder = loopbench.path("bin/contenders").native() + "/";
    const auto compared = [&](const char* base, const char* next) {
        return loopbench({"compare", folder + base, folder + next, "--blocks", "12", "--tolerate", "50%",
                          "--seed", "1", "-o", loopbench.out()});
    };
    const auto added = compared("old", "new"), removed = compared("new", "old");
    EXPECT_EQ(added.code, 0) << added.output << added.error_tail;
    EXPECT_SAYS(added.error_tail, "only in new: added");
    EXPECT_EQ(removed.code, 0);
    EXPECT_SAYS(removed.error_tail, "only in new: added");
    const auto report = loopbench.report();
    EXPECT_EQ(report["unmatched"][0]["workload"], "added") << report["unmatched"];
    for (const auto& result : report["results"]) EXPECT_NE(result["workload"], "added");
}

TEST_F(command, a_comparison_of_builds_without_a_common_benchmark_is_undecided_and_lists_both) {
    loopbench.add_contender_of("parse", "old", good_row);
    loopbench.add_contender_of("parse_json", "new", good_row);
    const auto folder = loopbench.path("bin/contenders").native() + "/";
    const auto ran = loopbench({"compare", folder + "old", folder + "new", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 4) << ran.error_tail;
    EXPECT_TRUE(ran.output.starts_with("UNDECIDED: ")) << ran.output;
    for (const auto* part :
         {"only in old: parse.", "only in new: parse_json.", "rename benchmarks in a change"})
        EXPECT_SAYS(ran.output, part);
    const auto report = loopbench.path("out/report.json").native();
    EXPECT_SAYS(loopbench.report()["gate"]["verdict"].get<std::string>(), "only in old: parse.");
    for (const auto* format : {"screen", "text", "markdown", "html", "junit", "github", "csv"}) {
        const auto written = loopbench({"report", report, "--format", format});
        EXPECT_EQ(written.code, 0) << format << written.error_tail;
    }
    EXPECT_SAYS(loopbench({"report", report, "--format", "junit"}).output, "only old has this benchmark");
    EXPECT_EQ(loopbench({"run", "--resume", loopbench.out()}).code, 4);
}

TEST_F(command, only_variables_that_google_benchmark_reads_cause_a_warning) {
    loopbench.add_contender_of("parse", "old", good_row);
    const auto ran = loopbench.in_shell(
        "export BENCHMARK_HOME=/opt BENCHMARK_FILTERS=a BENCHMARK_COLOR=no BENCHMARK_MIN_TIME=1;"
        "exec $loopbench compare $folder/bin/contenders/old $folder/bin/contenders/old --blocks 1 -o $out");
    for (const auto* flag : {"BENCHMARK_COLOR=no", "BENCHMARK_MIN_TIME=1"}) EXPECT_SAYS(ran.error_tail, flag);
    for (const auto* other : {"BENCHMARK_HOME", "BENCHMARK_FILTERS"})
        EXPECT_FALSE(says(ran.error_tail, other)) << ran.error_tail;
}

TEST_F(command, the_error_for_an_unknown_pairing_lists_the_allowed_values) {
    const auto ran = loopbench({"run", "--pairing", "sideways", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 2);
    EXPECT_SAYS(ran.error_tail, "{sequential,interleaved,concurrent}");
    for (const auto* internal : {"->", "FAILED"}) EXPECT_FALSE(says(ran.error_tail, internal)) << internal;
    EXPECT_EQ(loopbench({"run", "--pairing", "Sequential", "--blocks", "1", "-o", loopbench.out()}).code, 0);
}

TEST_F(command, workloads_that_wait_run_sequentially_and_a_single_note_names_these_workloads) {
    for (const auto* name : {"asio-epoll", "loop-epoll"})
        loopbench.add_contender_of("timer/periodic", name, R"(row '"real_time": 10, "cpu_time": 10')");
    for (const auto* pairing : {"concurrent", "interleaved"}) {
        const auto ran = loopbench({"run", "--pairing", pairing, "--blocks", "2", "-o", loopbench.out()});
        EXPECT_EQ(ran.code, 0) << ran.error_tail;
        const auto results = loopbench.report()["results"];
        for (const auto& item : results) EXPECT_EQ(item["pairing"], "sequential") << pairing;
        const auto note = ran.error_tail.find("note: --pairing " + std::string{pairing});
        ASSERT_NE(note, std::string::npos) << ran.error_tail;
        EXPECT_EQ(ran.error_tail.find("note: ", note + 1), std::string::npos) << ran.error_tail;
        for (const auto* part : {"timer/periodic", "waits"}) EXPECT_SAYS(ran.error_tail, part);
    }
}

TEST_F(command, swapping_the_baseline_and_the_compared_contender_inverts_the_ratio) {
    loopbench({"run", "--baseline", "loop-epoll", "--blocks", "6", "-o", loopbench.out()});
    EXPECT_DOUBLE_EQ(time_of(loopbench.report(), "asio-epoll")["ratio"]["median"].get<double>(), 0.5);
    EXPECT_EQ(time_of(loopbench.report(), "loop-epoll")["ratio"], nullptr);
}

TEST_F(command, the_list_command_shows_contenders_workloads_and_metrics) {
    const auto text = loopbench({"list"});
    EXPECT_EQ(text.code, 0);
    for (const auto* wanted : {"loop-epoll", "fake 1", "echo/rtt/conns:1", "late_p50"})
        EXPECT_SAYS(text.output, wanted);
    for (const auto* marked : {"\n* loop-epoll ", "\n* yield ", "\n* echo/rtt/conns:1 "})
        EXPECT_SAYS(text.output, marked);
    const auto listed = json::parse(loopbench({"list", "--json"}).output);
    EXPECT_EQ(listed["contenders"][0]["name"], "asio-epoll");
    EXPECT_EQ(listed["contenders"][0]["version"], "1");
    EXPECT_EQ(listed["contenders"][0]["workloads"], (std::vector<std::string>{"yield", "echo/rtt/conns:1"}));
    ASSERT_EQ(listed["workloads"].size(), 2U);
    std::map<std::string, json> about;
    for (const auto& each : listed["workloads"]) about[each["name"]] = each["primary_metrics"];
    EXPECT_EQ(about["yield"], json::array({"time"}));
    EXPECT_EQ(about["echo/rtt/conns:1"], nullptr) << "the catalog does not know it";
    EXPECT_EQ(listed["metrics"][0]["name"], "time");
}

TEST_F(command, contenders_from_an_additional_folder_are_compared_with_the_baseline) {
    loopbench.add_contender("mine", faster_row);
    std::filesystem::create_directory(loopbench.path("more"));
    std::filesystem::rename(loopbench.path("bin/contenders/mine"), loopbench.path("more/mine"));
    const auto ran = loopbench(
        {"run", "--blocks=1", "--contender-dir", loopbench.path("more").native(), "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 0);
    EXPECT_DOUBLE_EQ(time_of(loopbench.report(), "mine")["ratio"]["median"].get<double>(), 2);
}

TEST_F(command, an_installed_loopbench_finds_the_installed_contenders) {
    std::filesystem::create_directories(loopbench.path("libexec/loopbench"));
    std::filesystem::rename(loopbench.path("bin/contenders"), loopbench.path("libexec/loopbench/contenders"));
    EXPECT_EQ(json::parse(loopbench({"list", "--json"}).output)["contenders"].size(), 2U);
}

TEST_F(command, the_report_command_writes_the_requested_format_to_a_file_or_to_standard_output) {
    loopbench({"run", "--blocks", "1", "-o", loopbench.out()});
    const auto file = loopbench.path("out/report.json").native();
    EXPECT_EQ(loopbench({"report", file, "--format", "json"}).output, content_of(file));
    auto newer = nlohmann::ordered_json::parse(content_of(file));
    newer["from_the_future"] = 1;
    reports::write_file_atomically(file, newer.dump(1) + "\n");
    EXPECT_EQ(loopbench({"report", file, "--format", "json"}).output, content_of(file));
    EXPECT_EQ(loopbench({"report", file, "--format", "csv"}).output,
              content_of(loopbench.path("out/report.csv")));
    const auto to_file =
        loopbench({"report", file, "--format", "markdown", "-o", loopbench.path("report.md").native()});
    EXPECT_EQ(to_file.code, 0);
    EXPECT_EQ(to_file.output + to_file.error_tail, "");
    EXPECT_SAYS(content_of(loopbench.path("report.md")), "| yield | asio-epoll | 10.0 µs |");
}

TEST_F(command, help_and_version_are_printed_to_standard_output) {
    for (const auto& arguments : {std::vector<std::string>{"--help"}, {"--version"}, {"run", "--help"}}) {
        const auto shown = loopbench(arguments);
        EXPECT_EQ(shown.code, 0);
        EXPECT_FALSE(shown.output.empty());
        EXPECT_EQ(shown.error_tail, "");
    }
}

}  // namespace

}  // namespace loopbench::tests
