// Tests the real command on fake contenders that fail.
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/model/json.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/journal_lines.hpp"
#include "tests/support/process_end.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

class command_failure : public testing::Test {
protected:
    command_failure() { loopbench.add_contender("asio-epoll", good_row); }

    std::string reason_for(const std::string& name, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"run", "--workload", "yield", "--blocks", "2", "-o", loopbench.out()});
        const auto ran = loopbench(more);
        EXPECT_EQ(ran.code, 1) << ran.error_tail;
        const auto report = loopbench.report();
        EXPECT_TRUE(fits_the_schema(report));
        EXPECT_EQ(time_of(report, "asio-epoll")["samples"].size(), 2U);
        const auto cell = time_of(report, name);
        EXPECT_EQ(cell["status"], "failed");
        EXPECT_EQ(cell["median"], nullptr);
        EXPECT_SAYS(ran.output, "failed: ");
        return cell["reason"];
    }

    void expect_usage_error(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& mentioned) {
        const auto ran = loopbench(arguments);
        EXPECT_EQ(ran.code, 2) << ran.error_tail;
        EXPECT_EQ(ran.output, "");
        for (const auto& text : mentioned) EXPECT_SAYS(ran.error_tail, text);
        EXPECT_FALSE(std::filesystem::exists(loopbench.out()));
    }

    loopbench_command loopbench;
};

TEST_F(command_failure, the_crash_of_a_contender_is_reported_with_its_signal_and_the_run_continues) {
    loopbench.add_contender("crashes", "[ $(trials) -lt 2 ] || kill -ABRT $$\n" + std::string{good_row});
    EXPECT_EQ(reason_for("crashes"), "in block 2 of 2: killed by SIGABRT");
}

TEST_F(command_failure, invalid_utf8_in_an_error_message_is_replaced_in_the_report_and_journal) {
    loopbench.add_contender("exits", "printf 'first\\nno L\\344rm' >&2; exit 3");
    EXPECT_EQ(reason_for("exits"), "in block 1 of 2: exit code 3: no L\uFFFDrm");
    const auto journal = loopbench.path("out/journal.jsonl").native();
    EXPECT_EQ(loopbench({"report", journal, "--format", "csv"}).output,
              content_of(loopbench.path("out/report.csv")));
}

TEST_F(command_failure, a_hanging_contender_is_stopped_at_the_trial_limit) {
    loopbench.add_contender("hangs", "sleep 1000");
    EXPECT_EQ(reason_for("hangs", {"--trial-limit", "1s"}),
              "in block 1 of 2: the contender had no result within 1 s");
}

TEST_F(command_failure, invalid_output_of_a_contender_is_reported_with_the_position_of_the_error) {
    loopbench.add_contender("babbles", "echo 'Hello there'");
    const auto reason = reason_for("babbles");
    for (const auto* part : {"in block 1 of 2", "line 1, column 1", "\"Hello there \""})
        EXPECT_SAYS(reason, part);
}

TEST_F(command_failure, an_error_that_a_contender_reports_is_shown_in_the_contenders_own_words) {
    loopbench.add_contender("cheats",
                            R"(row '"error_occurred": true, "error_message": "3 bytes are missing"')");
    EXPECT_EQ(reason_for("cheats"), "in block 1 of 2: 3 bytes are missing");
}

TEST_F(command_failure, a_file_with_an_invalid_executable_format_is_reported) {
    reports::write_file_atomically(loopbench.path("bin/contenders/text"),
                                   "\x7f"
                                   "ELF, not really");
    std::filesystem::permissions(loopbench.path("bin/contenders/text"), std::filesystem::perms::owner_all);
    EXPECT_TRUE(reason_for("text").starts_with(
        "cannot list the contender's workloads: the contender could not be started: Exec format error"));
}

TEST_F(command_failure, if_a_script_cannot_start_the_error_names_a_missing_interpreter_as_a_possible_reason) {
    reports::write_file_atomically(loopbench.path("bin/contenders/lost"), "#!/no/such/python\n");
    std::filesystem::permissions(loopbench.path("bin/contenders/lost"), std::filesystem::perms::owner_all);
    EXPECT_SAYS(reason_for("lost"), "interpreter");
}

TEST_F(command_failure, a_contender_without_execute_permission_is_reported) {
    reports::write_file_atomically(loopbench.path("bin/contenders/plain"), "#!/bin/sh\n");
    expect_usage_error({"run", "--contender", "plain", "-o", loopbench.out()},
                       {"bin/contenders/plain is not executable", "chmod +x"});
}

TEST_F(command_failure, rebuilding_a_contender_during_a_run_fails_the_trial_of_the_contender) {
    loopbench.add_contender(
        "rebuilt",
        std::string{"[ $(trials) -lt 2 ] || { cp \"$0\" \"$0.new\"; mv \"$0.new\" \"$0\"; }\n"} + good_row);
    const auto reason = reason_for("rebuilt");
    for (const auto* part : {"in block 2 of 2: ", "bin/contenders/rebuilt was replaced"})
        EXPECT_SAYS(reason, part);
}

TEST_F(command_failure, replacing_a_library_during_a_run_fails_the_trial_that_uses_the_library) {
    loopbench.add_contender("linked",
                            std::string{"[ $(trials) -lt 2 ] || touch $folder/lib/libc.so.6\n"} + good_row);
    const auto ran = loopbench.in_shell(
        "mkdir $folder/lib; cp \"$(ldd /bin/sh | sed -n 's/.*libc.so.6 => \\([^ ]*\\) .*/\\1/p')\" "
        "$folder/lib || exit 77; "
        "export LD_LIBRARY_PATH=$folder/lib; "
        "exec $loopbench run --contender linked --baseline linked --workload yield --blocks 2 -o $out");
    if (ran.code == 77) GTEST_SKIP() << "the shell has no libc.so.6 of its own";
    EXPECT_EQ(ran.code, 1) << ran.error_tail;
    const auto reason = time_of(loopbench.report(), "linked").at("reason").get<std::string>();
    EXPECT_SAYS(reason, "lib/libc.so.6 was replaced");
}

TEST_F(command_failure, a_run_with_a_non_ascii_baseline_name_can_be_resumed) {
    loopbench.add_contender("café", good_row);
    ASSERT_EQ(loopbench({"run", "--baseline", "café", "--blocks", "6", "-o", loopbench.out()}).code, 0);
    const auto journal = journal_lines(loopbench.path("out/journal.jsonl"));
    EXPECT_EQ(journal.front()["plan"]["aa_copy"], "caf~~") << "the same length, without half of a letter";
    const auto ran = loopbench({"run", "--resume", loopbench.out()});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
}

TEST_F(command_failure, a_name_or_path_with_invalid_utf8_is_refused) {
    const auto beside = loopbench.in_shell(
        "cp -r $folder/bin $folder/b\344r; $folder/b\344r/loopbench run --blocks 1 -o $folder/kept || exit "
        "9; exec $folder/b\344r/loopbench run --resume $folder/kept");
    EXPECT_EQ(beside.code, 2) << beside.error_tail;
    EXPECT_SAYS(beside.error_tail, "UTF-8");
    loopbench.add_contender("b\xe4r", good_row);
    expect_usage_error({"run", "-o", loopbench.path("new").native()},
                       {"bin/contenders/b?r", "UTF-8", "rename"});
}

TEST_F(command_failure, an_unsupported_workload_is_shown_with_its_reason_and_does_not_fail_the_run) {
    loopbench.add_contender("cannot",
                            R"(row '"error_occurred": true, "error_message": "unsupported: no io_uring"')");
    const auto ran = loopbench({"run", "--blocks", "6", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    EXPECT_EQ(time_of(loopbench.report(), "cannot")["status"], "unsupported");
    EXPECT_SAYS(ran.output, "- cannot: no io_uring");
    const auto trials = content_of(loopbench.path("bin/contenders/cannot.trials"));
    EXPECT_EQ(trials.size(), 2U * 3) << "three blocks of each workload";
}

TEST_F(command_failure, the_error_for_an_unbuilt_contender_says_how_to_build_the_contender) {
    const std::vector<std::string> help{"libuv is not built",
                                        "`cmake --build --preset release --target suite`"};
    expect_usage_error({"run", "--contender", "libuv", "-o", loopbench.out()}, help);
    expect_usage_error({"run", "--contender", "asio-epoll", "--contender", "libu*", "-o", loopbench.out()},
                       help);
    expect_usage_error({"run", "--baseline", "libuv", "-o", loopbench.out()}, help);
    expect_usage_error({"calibrate", "--contender", "libuv"}, help);
}

TEST_F(command_failure, the_error_for_a_workload_that_no_built_contender_has_says_how_to_build_contenders) {
    for (const auto* const name : {"threads", "threads/post/*", "threads/echo/conns:100/threads:2"})
        expect_usage_error({"run", "--workload", name, "-o", loopbench.out()},
                           {"such as threads/", "--preset release --target suite`"});
}

TEST(run_command, if_no_default_contender_is_built_the_error_says_how_to_build_the_contenders) {
    loopbench_command loopbench;
    loopbench.add_contender("asyncio", good_row);
    const auto ran = loopbench({"run", "--quick", "-o", loopbench.out()});
    EXPECT_EQ(ran.end, bench::child_end::exited);
    EXPECT_EQ(ran.code, 2);
    for (const auto* help : {"`make bench`", "--contender"}) EXPECT_SAYS(ran.error_tail, help);
}

TEST_F(command_failure, an_unknown_name_causes_a_usage_error_that_suggests_the_nearest_name) {
    const auto out = loopbench.out();
    expect_usage_error({"run", "--contender", "asoi-epoll", "-o", out}, {"\"asoi-epoll\"", "asio-epoll"});
    expect_usage_error({"run", "--workload", "ecoh", "-o", out}, {"\"ecoh\"", "did you mean echo"});
    expect_usage_error({"run", "--baseline", "asio-epol", "-o", out}, {"\"asio-epol\"", "asio-epoll"});
    expect_usage_error({"rnu"}, {"rnu", "did you mean run"});
    expect_usage_error({"run", "--contendr=x"}, {"--contendr;", "did you mean --contender?"});
    expect_usage_error({"run", "stray"}, {"argument stray", "did you mean --workload stray?"});
    expect_usage_error({"list", "stray"}, {"argument stray", "leave it out"});
    const auto build = loopbench.path("bin/contenders/asio-epoll").native();
    expect_usage_error({"compare", build, build, "stray"},
                       {"argument stray", "BASE and NEW", "--workload stray", "--client"});
    expect_usage_error({"check", "--against", "x", "--tier", "conts"},
                       {"--tier", "conts not in {counts,times}"});
    expect_usage_error({"report", "x", "--format", "cvs"}, {"--format", "csv"});
}

TEST_F(command_failure, missing_commands_and_invalid_option_values_cause_usage_errors) {
    const auto out = loopbench.out();
    expect_usage_error({}, {"command is missing", "list, run, compare"});
    expect_usage_error({"-x"}, {"does not accept the option -x", "list, run"});
    expect_usage_error({"--frob", "run"}, {"does not accept the option --frob"});
    expect_usage_error({"run", "--quick", "--full", "-o", out}, {"--full"});
    for (const auto* count : {"0", "-1", "x", "1e3", "99999999999999999999"})
        expect_usage_error({"run", "--blocks", count, "-o", out}, {"--blocks"});
    for (const auto* seed : {"-1", "x", "9007199254740992", "99999999999999999999"})
        expect_usage_error({"run", "--seed", seed, "-o", out}, {"--seed"});
    for (const auto* duration : {"0", "-5s", "5 parsecs", "", "inf", "nan", "1e9h"})
        expect_usage_error({"run", "--budget", duration, "-o", out}, {"--budget", "`loopbench run --help`"});
    expect_usage_error({"run", "--budget", "0", "-o", out}, {"--budget: 0 s", "1 ms"});
    for (const auto* percent : {"51%", "-1%", "%", "", "2%%", "nan"})
        expect_usage_error({"run", "--threshold", percent, "-o", out}, {"--threshold", "from 0 to 50"});
    expect_usage_error({"run", "--precision", "0%", "--budget", "1s", "-o", out}, {"--precision"});
    expect_usage_error({"run", "--contender-dir", "/no/where", "-o", out}, {"/no/where"});
    expect_usage_error({"run", "-o", ""}, {"--output", "path is empty"});
    expect_usage_error({"run", "-o=" + out}, {"--output", "write -o " + out});
    expect_usage_error({"report", "x.json", "--format", "csv", "-o", ""}, {"--output", "path is empty"});
    expect_usage_error({"report", "x.json", "--format", "csv", "-o="}, {"--output"});
    expect_usage_error({"report", "/no/where.json", "--format", "json"}, {"/no/where.json", "loopbench run"});
    expect_usage_error({"report", "/no/where.json"}, {"--format"});
}

TEST_F(command_failure, the_error_for_an_overlong_file_name_says_that_the_name_is_too_long) {
    const std::string name(5000, 'x');
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run", "-o", name}, {"run", "--resume", name}, {"compare", name, name}}) {
        const auto ran = loopbench(words);
        EXPECT_EQ(ran.code, 1) << words.front();
        EXPECT_SAYS(ran.error_tail, "File name too long");
        EXPECT_EQ(ran.error_tail.find("filesystem"), std::string::npos) << ran.error_tail;
    }
}

TEST_F(command_failure, if_memory_runs_out_the_error_says_that_there_is_not_enough_memory) {
    const auto ran = loopbench.in_shell(
        "truncate -s 200M $folder/large; ulimit -v 200000; $loopbench --version > $folder/none 2>&1 || exit "
        "99; exec $loopbench report $folder/large --format text");
    if (ran.code == 99) GTEST_SKIP() << "a sanitizer needs terabytes of addresses";
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.error_tail, "not enough memory");
}

TEST_F(command_failure, an_unwritable_output_folder_is_reported_before_the_measurement) {
    reports::write_file_atomically(loopbench.path("file"), "mine");
    const auto ran = loopbench({"run", "-o", loopbench.path("file/out").native()});
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.error_tail, "file/out: Not a directory");
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("bin/contenders/asio-epoll.trials")));
    EXPECT_EQ(content_of(loopbench.path("file")), "mine");
}

TEST_F(command_failure, a_run_that_fills_the_disk_keeps_its_journal_and_writes_no_report) {
    const auto ran = loopbench.in_shell("ulimit -f 6; exec $loopbench run --blocks 50 -o $out");
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.error_tail, "journal.jsonl: File too large");
    EXPECT_GT(journal_lines(loopbench.path("out/journal.jsonl")).size(), 1U);
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("out/report.json")));
}

TEST_F(command_failure, the_error_for_a_pipe_in_place_of_an_output_file_contains_the_path_of_the_pipe) {
    for (const auto* file : {"journal.jsonl", "histograms.jsonl", "report.csv"}) {
        const auto ran = loopbench.in_shell(std::string{"rm -rf $out; mkdir $out; mkfifo $out/"} + file +
                                            "; exec $loopbench run --blocks 1 -o $out");
        EXPECT_EQ(ran.code, 1) << ran.error_tail;
        for (const auto& part : {std::string{"out/"} + file + ": ", std::string{"pipe"}})
            EXPECT_SAYS(ran.error_tail, part);
    }
    ASSERT_EQ(loopbench({"run", "--blocks", "1", "-o", loopbench.path("whole").native()}).code, 0);
    for (const auto* file : {"journal.jsonl", "histograms.jsonl"}) {
        const auto ran =
            loopbench.in_shell(std::string{"rm -rf $out; cp -r $folder/whole $out; rm $out/"} + file +
                               "; mkfifo $out/" + file + "; exec $loopbench run --resume $out");
        EXPECT_EQ(ran.code, 1) << ran.error_tail;
        EXPECT_SAYS(ran.error_tail, std::string{"out/"} + file + ": it is a pipe");
    }
    const auto baseline = loopbench.in_shell("mkfifo $folder/b; exec $loopbench check --against $folder/b");
    EXPECT_EQ(baseline.code, 2);
    EXPECT_SAYS(baseline.error_tail, "b is not a baseline");
    const auto calibrated = loopbench.in_shell(
        "mkdir -p $folder/state/loopbench; mkfifo $folder/state/loopbench/calibration.json; rm -rf $out; "
        "export XDG_STATE_HOME=$folder/state; exec $loopbench run --blocks 1 -o $out");
    EXPECT_EQ(calibrated.code, 0) << calibrated.error_tail;
    EXPECT_SAYS(calibrated.error_tail, "calibration.json: it is a pipe");
}

TEST_F(command_failure, the_error_for_an_unusable_file_contains_the_whole_path_even_if_the_path_is_long) {
    const auto folder = loopbench.path("a/folder/whose/name/is/longer/than/messages/show/of/a/text");
    std::filesystem::create_directories(folder);
    std::filesystem::create_symlink("journal.jsonl", folder / "journal.jsonl");
    const auto ran = loopbench({"run", "--resume", folder.native()});
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.error_tail, "text/journal.jsonl: Too many levels of symbolic links");
}

TEST_F(command_failure, a_file_that_is_obviously_no_report_is_named_with_the_remedy) {
    const auto file = loopbench.path("some.json").native();
    for (const auto& [bytes, said] : {std::pair{"\xFD\x37zXZ", "xz -dc"},
                                      {"\x1F\x8B", "gzip"},
                                      {" [1, 2]", "array"},
                                      {"\xEF\xBB\xBF{}", "byte order mark"},
                                      {"\xFF\xFE{", "UTF-16"}}) {
        reports::write_file_atomically(file, bytes);
        for (const std::vector<std::string>& command :
             {std::vector<std::string>{"report", file, "--format", "csv"}, {"history", "add", file}}) {
            auto words = command;
            if (words[0] == "history")
                words.insert(words.end(), {"--history", loopbench.path("h.db").native()});
            const auto ran = loopbench(words);
            EXPECT_EQ(ran.code, 2) << said;
            EXPECT_SAYS(ran.error_tail, said);
        }
    }
}

TEST_F(command_failure, a_report_can_be_read_from_a_pipe) {
    reports::write_file_atomically(loopbench.path("report.json"), reports::write_json(sample_report()));
    const auto file = loopbench.path("report.json").native();
    for (const auto* format : {"json", "csv", "html"})
        EXPECT_EQ(
            loopbench
                .in_shell(std::string{"cat $folder/report.json | $loopbench report /dev/stdin --format "} +
                          format)
                .output,
            loopbench({"report", file, "--format", format}).output);
    const auto both = loopbench.in_shell(
        "cat $folder/report.json | { cat $folder/report.json | $loopbench compare /dev/fd/3 /dev/stdin; } "
        "3<&0");
    const auto named = loopbench({"compare", file, file});
    EXPECT_EQ(both.output, named.output);
    EXPECT_EQ(both.code, named.code);
}

TEST_F(command_failure, one_workload_of_a_huge_list_can_be_selected_but_selecting_all_of_them_is_refused) {
    const std::string all = std::to_string(LOOPBENCH_LONG_LISTING);
    write_script(loopbench.path("bin/contenders/many"), "exec seq -f w%.0f " + all + "\n");
    const auto one = loopbench({"run", "--contender", "many", "--workload", "w" + all, "--blocks", "1", "-o",
                                loopbench.path("one").native()});
    EXPECT_EQ(one.code, 1) << one.error_tail;  // the contender printed its workloads instead of a result
    EXPECT_SAYS(one.output, "many: failed: in block 1 of 1: ");
    expect_usage_error({"run", "--contender", "many", "--workload", "w*", "-o", loopbench.out()},
                       {all, "--workload"});
}

TEST_F(command_failure, if_a_new_journal_cannot_be_created_the_files_of_the_old_run_stay_unchanged) {
    ASSERT_EQ(loopbench({"run", "--blocks", "6", "-o", loopbench.out()}).code, 0);
    const auto journal = content_of(loopbench.path("out/journal.jsonl"));
    const auto report = content_of(loopbench.path("out/report.json"));
    // The shell already ignores SIGXFSZ, because TSan writes a file before main() can ignore the signal.
    const auto ran = loopbench.in_shell("trap '' XFSZ; ulimit -f 0; exec $loopbench run --blocks 6 -o $out");
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.error_tail, "journal.jsonl: File too large");
    EXPECT_EQ(content_of(loopbench.path("out/journal.jsonl")), journal);
    EXPECT_EQ(content_of(loopbench.path("out/report.json")), report);
}

TEST_F(command_failure, killing_a_run_keeps_the_reports_of_the_previous_run) {
    ASSERT_EQ(loopbench({"run", "--blocks", "6", "-o", loopbench.out()}).code, 0);
    const auto report = content_of(loopbench.path("out/report.json")),
               table = content_of(loopbench.path("out/report.csv"));
    loopbench.add_contender("asio-epoll", "kill -KILL $PPID");
    EXPECT_NE(loopbench.in_shell("$loopbench run --blocks 6 -o $out; exit $?").code, 0);
    EXPECT_EQ(journal_lines(loopbench.path("out/journal.jsonl")).size(), 1U);
    EXPECT_EQ(content_of(loopbench.path("out/report.json")), report);
    EXPECT_EQ(content_of(loopbench.path("out/report.csv")), table);
}

TEST_F(command_failure, two_runs_cannot_write_into_one_folder) {
    loopbench.add_contender("asio-epoll", R"sh(
[ -n "$inner" ] || inner=yes $loopbench run -o $out 2> $folder/error
echo $? >> $folder/codes
)sh" + std::string{good_row});
    write_script(loopbench.path("bin/contenders/witness"),
                 "[ -z \"$inner\" ] || touch $folder/disturbed\necho yield\n");
    const auto ran =
        loopbench.in_shell("exec $loopbench run --contender asio-epoll --workload yield --blocks 1 -o $out");
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    EXPECT_EQ(content_of(loopbench.path("codes")), "1\n1\n");
    EXPECT_SAYS(content_of(loopbench.path("error")), "another run");
    EXPECT_EQ(first_trials_in(loopbench.path("out/journal.jsonl")), 2);
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("disturbed"))) << "the second run started contenders";
}

TEST_F(command_failure,
       if_one_report_file_cannot_be_written_a_run_shows_its_table_and_leaves_no_report_file) {
    loopbench.add_contender("asio-epoll", "ln -sf /dev/full $out/report.csv\n" + std::string{good_row});
    const auto ran = loopbench.in_shell("exec $loopbench run --blocks 6 -o $out");
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.error_tail, "out/report.csv: No space left on device");
    EXPECT_SAYS(ran.output, "TRUST");
    EXPECT_EQ(ran.output.find("OPEN"), std::string::npos) << ran.output;
    EXPECT_FALSE(std::filesystem::exists(loopbench.path("out/report.json")));
    const auto left = std::filesystem::directory_iterator{loopbench.out()};
    EXPECT_EQ(std::distance(begin(left), end(left)), 3);
    EXPECT_EQ(first_trials_in(loopbench.path("out/journal.jsonl")), 2 * 2 * 6);
}

TEST_F(command_failure, a_report_that_does_not_fit_on_the_disk_does_not_replace_the_old_report) {
    reports::write_file_atomically(loopbench.path("report.json"), reports::write_json(sample_report()));
    std::filesystem::create_directory(loopbench.out());
    reports::write_file_atomically(loopbench.path("out/copy"), "old");
    const auto ran = loopbench.in_shell(
        "ulimit -f 1; exec $loopbench report $folder/report.json --format json -o $out/copy");
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.error_tail, "out/copy: File too large");
    EXPECT_EQ(content_of(loopbench.path("out/copy")), "old");
    const auto left = std::filesystem::directory_iterator{loopbench.out()};
    EXPECT_EQ(std::distance(begin(left), end(left)), 1);
}

TEST_F(command_failure, a_missing_proc_file_system_is_reported) {
    const auto ran = loopbench.in_shell(
        "unshare -rm true || exit 77; exec unshare -rm sh -c 'mount -t tmpfs none /proc; exec $loopbench "
        "list'");
    if (ran.code == 77) GTEST_SKIP() << "no mount namespaces here";
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.error_tail, "mount /proc");
}

TEST_F(command_failure, writing_to_a_full_or_closed_standard_output_is_an_error) {
    reports::write_file_atomically(loopbench.path("report.json"), reports::write_json(sample_report()));
    for (const auto* command : {"report $folder/report.json --format csv", "list", "--help"}) {
        const auto full = loopbench.in_shell(std::string{"exec $loopbench "} + command + " > /dev/full");
        EXPECT_EQ(full.code, 1) << command;
        EXPECT_SAYS(full.error_tail, "standard output: No space left");
        EXPECT_EQ(loopbench.in_shell(std::string{"exec $loopbench "} + command + " >&-").code, 1) << command;
    }
}

TEST_F(command_failure, escape_sequences_in_the_output_of_a_contender_do_not_reach_the_terminal) {
    loopbench.add_contender("red", good_row,
                            R"(, "compiler": "\u001b[31mRED\u009b31m", "build_type": "Release")");
    loopbench.add_contender("blue", good_row, R"(, "compiler": "blue", "build_type": "Release")");
    const auto ran = loopbench({"run", "--blocks", "1", "-o", loopbench.out()});
    EXPECT_SAYS(ran.error_tail, "?[31mRED?31m");
    EXPECT_EQ(ran.error_tail.find('\x1b'), std::string::npos);
    write_script(loopbench.path("bin/contenders/green"), "printf '\\033[32m' >&2; exit 3\n");
    const auto unlisted =
        loopbench({"run", "--contender", "green", "--workload", "x", "-o", loopbench.out()});
    EXPECT_EQ(unlisted.error_tail.find('\x1b'), std::string::npos) << unlisted.error_tail;
    write_script(loopbench.path("bin/contenders/\u202eneerg"), "echo yield\n");
    for (const auto* command : {"list", "doctor"}) {
        const auto told = loopbench({command}).output;
        EXPECT_SAYS(told, "?neerg");
        EXPECT_EQ(told.find("\u202e"), std::string::npos) << told;
    }
}

TEST_F(command_failure, error_messages_suggest_only_remedies_that_the_failed_command_supports) {
    const auto told = [&](const std::string& script, int code = 1) {
        const auto ran = loopbench.in_shell("exec 3>&1; " + script);
        EXPECT_EQ(ran.code, code) << script;
        return ran.error_tail;
    };
    const auto folder = told("exec $loopbench report $folder --format json", 2);
    EXPECT_SAYS(folder, "Is a directory; ");
    const auto full = told("exec $loopbench list > /dev/full");
    EXPECT_SAYS(full, "redirect");
    EXPECT_EQ(full.find("-o"), std::string::npos) << full;
    const auto nowhere = told("exec $loopbench run -o /proc/x");
    EXPECT_SAYS(nowhere, "-o");
}

TEST_F(command_failure, if_the_standard_streams_are_closed_their_messages_are_not_written_into_the_journal) {
    const auto ran = loopbench.in_shell("exec $loopbench run --blocks 1 -o $out <&- >&- 2>&-");
    EXPECT_EQ(ran.code, 1);  // the table could not be printed
    EXPECT_EQ(first_trials_in(loopbench.path("out/journal.jsonl")), 2 * 2);
    EXPECT_EQ(loopbench.report()["complete"], true);
}

TEST_F(command_failure, a_closed_standard_error_does_not_stop_the_run) {
    loopbench.add_contender("mine", good_row);
    const auto ran = loopbench.in_shell(R"sh(
mkfifo $folder/pipe; exec 3<> $folder/pipe 4> $folder/pipe 3<&-
exec $loopbench run --contender mine --blocks 6 -o $out 2>&4 4>&-)sh");
    EXPECT_EQ(ran.code, 0);  // a warning that cannot be printed is not an error
    EXPECT_SAYS(ran.output, "time per operation");
}

TEST_F(command_failure, printing_a_table_to_a_closed_pipe_causes_an_error_that_names_the_broken_pipe) {
    const auto ran = loopbench.in_shell(R"sh(
mkfifo $folder/pipe; exec 3<> $folder/pipe 4> $folder/pipe 3<&-
exec $loopbench run --blocks 1 -o $out >&4 4>&-)sh");
    EXPECT_EQ(ran.code, 1);
    EXPECT_SAYS(ran.error_tail, "standard output: Broken pipe");
    EXPECT_EQ(loopbench.report()["complete"], true);
}

TEST_F(command_failure, a_file_that_is_not_a_report_is_refused_with_the_position_of_the_error) {
    const auto text = reports::write_json(sample_report());
    reports::write_file_atomically(loopbench.path("cut.json"), text.substr(0, text.size() / 2));
    const auto ran = loopbench({"report", loopbench.path("cut.json").native(), "--format", "csv"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.output, "");
    EXPECT_SAYS(ran.error_tail, "cut.json is not a report: line ");
    EXPECT_EQ(loopbench({"report", loopbench.path("bin").native(), "--format", "csv"}).code, 2);
    const auto cut = loopbench.path("cut.json").native();
    EXPECT_EQ(loopbench({"compare", cut, cut}).code, 2);
    EXPECT_EQ(loopbench({"check", "--update", "--against", loopbench.path("new.json").native(), cut}).code,
              2);
}

TEST_F(command_failure, a_binary_file_is_refused_and_its_bytes_are_not_printed) {
    reports::write_file_atomically(loopbench.path("binary"), std::string("\x7f"
                                                                         "ELF\x02\x00\x1b[2J\xff{\"a",
                                                                         12));
    for (const auto* command : {"report", "compare"}) {
        const auto file = loopbench.path("binary").native();
        const auto ran = loopbench(std::string_view{command} == "report"
                                       ? std::vector<std::string>{command, file, "--format", "csv"}
                                       : std::vector<std::string>{command, file, file});
        EXPECT_EQ(ran.code, 2);
        EXPECT_EQ(ran.output, "");
        for (const char c : ran.error_tail)
            EXPECT_TRUE(c == '\n' || (c >= ' ' && c < '\x7f')) << ran.error_tail;
    }
}

TEST_F(command_failure, results_that_do_not_fit_into_the_budget_are_marked_as_not_run) {
    for (const auto* who : {"asio-epoll", "loop-epoll", "slow"}) loopbench.add_contender(who, "sleep 30");
    const auto ran = loopbench({"run", "--budget", "500ms", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 4) << ran.error_tail;
    const auto report = loopbench.report();
    for (const auto& item : report["results"]) {
        EXPECT_EQ(item["status"], "not_run");
        EXPECT_SAYS(item["reason"].get<std::string>(), "budget");
    }
    EXPECT_SAYS(ran.output, "Not run: 6 ");
}

TEST_F(command_failure, an_interrupt_while_contenders_list_their_workloads_ends_the_run_with_exit_code_130) {
    loopbench.add_contender("asio-epoll", good_row);
    write_script(loopbench.path("bin/contenders/other"), "kill -INT $PPID; sleep 1000");
    const auto ran =
        loopbench({"run", "--contender", "asio-epoll", "--workload", "of_the_other", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 130) << ran.error_tail;
}

TEST_F(command_failure, a_run_without_any_selected_workload_causes_a_usage_error) {
    loopbench.add_contender_of("timer/churn/timers:1000", "mine", good_row);
    expect_usage_error({"run", "--contender", "mine", "-o", loopbench.out()},
                       {"headline", "--full", "--workload", "timer/churn/timers:1000"});
}

TEST_F(command_failure, an_interrupted_run_keeps_its_finished_trials) {
    // The contender sends the signals in its fourth trial, so the test does not depend on timing.
    loopbench.add_contender(
        "asio-epoll",
        "[ $(trials) -lt 4 ] || { kill -INT $PPID; kill -INT $PPID; sleep 1000; }\n" + std::string{good_row});
    const auto ran = loopbench({"run", "--blocks", "6", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 130) << ran.error_tail;
    EXPECT_EQ(journal_lines(loopbench.path("out/journal.jsonl")).size(), 5U);
    const auto report = loopbench.report();
    EXPECT_TRUE(fits_the_schema(report));
    EXPECT_EQ(report["complete"], false);
    const auto lines = journal_lines(loopbench.path("out/journal.jsonl"));
    const auto copies = static_cast<std::size_t>(std::ranges::count_if(
        lines, [](const auto& line) { return line.value("contender", "") == "asio-epol~"; }));
    std::size_t samples = 0;
    for (const auto& item : report["results"]) samples += item["samples"].size();
    EXPECT_EQ(samples + copies, 3U);
    EXPECT_SAYS(ran.output, "interrupted");
}

TEST_F(command_failure, killing_a_run_keeps_every_finished_trial_and_ends_the_running_contender) {
    loopbench.add_contender(
        "asio-epoll", "[ $(trials) -lt 4 ] || { echo $$ > $0.pid; kill -KILL $PPID; exec sleep 1000; }\n" +
                          std::string{good_row});
    const auto ran = loopbench.in_shell("$loopbench run --blocks 6 -o $out; code=$?; exit $code");
    EXPECT_EQ(ran.code, 128 + 9);
    EXPECT_EQ(journal_lines(loopbench.path("out/journal.jsonl")).size(), 4U);
    EXPECT_TRUE(ends(std::stoi(content_of(loopbench.path("bin/contenders/asio-epoll.pid")))));
}

}  // namespace

}  // namespace loopbench::tests
