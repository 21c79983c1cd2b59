// Tests that each trial has its own temporary folder, and that no temporary file or process of a run remains.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/command_support.hpp"
#include "tests/support/process_end.hpp"

namespace loopbench::tests {

namespace {

class temporary_files : public testing::Test {
protected:
    bench::child_outcome run(const std::string& in_front = "") {
        return loopbench.in_shell("mkdir -p $folder/tmp; export TMPDIR=$folder/tmp; " + in_front +
                                  " $loopbench run --workload yield --blocks 2 -o $out; code=$?; "
                                  "ls -A $folder/tmp; exit $code");
    }

    loopbench_command loopbench;
};

void expect_only_the_culprit_fails(const std::string& what) {
    loopbench_command loopbench;
    loopbench.add_contender("asio-epoll", good_row);
    loopbench.add_contender("culprit", what + "; " + good_row);
    const auto ran = loopbench({"run", "--workload", "yield", "--blocks", "2", "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 1) << what << ran.error_tail;
    EXPECT_EQ(time_of(loopbench.report(), "culprit").at("status"), "failed") << what;
    EXPECT_EQ(time_of(loopbench.report(), "asio-epoll").at("status"), "ok") << what;
}

TEST_F(temporary_files, an_invalid_histogram_file_fails_only_the_contender_that_made_the_file) {
    expect_only_the_culprit_fails("mkfifo \"$LOOPBENCH_HISTOGRAM_FILE\"");
    expect_only_the_culprit_fails("mkdir \"$LOOPBENCH_HISTOGRAM_FILE\"");
    expect_only_the_culprit_fails("ln -s /nowhere \"$LOOPBENCH_HISTOGRAM_FILE\"");
    expect_only_the_culprit_fails("ln -s \"$0\" \"$LOOPBENCH_HISTOGRAM_FILE\"");
}

TEST_F(temporary_files, each_contender_has_its_own_folder_for_temporary_files) {
    loopbench.add_contender("asio-epoll", R"sh(
[ -z "$(ls "$TMPDIR")" ] || exit 7
touch "$TMPDIR/left"; chmod 0 "$TMPDIR/left"
row '"real_time": 10'
)sh");
    loopbench.add_contender("rude", std::string{"rm -rf \"$TMPDIR\"; "} + good_row);
    const auto ran = run();
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    EXPECT_EQ(ran.output.find(".loopbench-"), std::string::npos) << ran.output;
}

TEST_F(temporary_files, only_the_temporary_folders_of_killed_processes_are_removed) {
    loopbench.add_contender("asio-epoll", good_row);
    const auto ran =
        run("mkdir -p $TMPDIR/.loopbench-killed/deep $TMPDIR/.loopbench-in-use $TMPDIR/mine; "
            "mkdir $TMPDIR/loopbench-mine; ln -s $TMPDIR/mine $TMPDIR/.loopbench-a-link; "
            "echo mine | tee $TMPDIR/mine/file $TMPDIR/.loopbench-a-file $TMPDIR/.loopbench > /dev/null; "
            "flock $TMPDIR/.loopbench-in-use");
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    EXPECT_EQ(ran.output.find("killed"), std::string::npos) << ran.output;
    for (const auto* kept : {"in-use", "a-link", "mine", "loopbench-mine"}) EXPECT_SAYS(ran.output, kept);
    for (const auto* file : {"mine/file", ".loopbench-a-file", ".loopbench"})
        EXPECT_EQ(content_of(loopbench.path("tmp") / file), "mine\n");
}

TEST_F(temporary_files, a_missing_temporary_folder_is_reported_with_its_path_and_a_remedy) {
    loopbench.add_contender("asio-epoll", good_row);
    const auto ran = run("TMPDIR=/nowhere/at/all");
    EXPECT_EQ(ran.code, 1);
    for (const auto* word : {"/nowhere/at/all", "TMPDIR"}) EXPECT_SAYS(ran.error_tail, word);
    EXPECT_EQ(run("TMPDIR=").code, 0);
}

/// Returns shell code that starts an orphaned process and waits until this process has written its PID to a
/// file. The code first removes an old PID file, which would end the wait too early.
std::string leave_a_process(const std::string& front) {
    return "rm -f \"$0.pid\"\n" + front + " setsid sh -c 'echo $$ > \"$0.pid\"; exec sleep 1000' \"$0\" &\n" +
           "while [ ! -s \"$0.pid\" ]; do :; done\n";
}

TEST_F(temporary_files, an_orphaned_process_that_left_its_process_group_is_ended_and_reported) {
    loopbench.add_contender("asio-epoll", good_row);
    for (const auto* front : {"", "env -i"}) {
        loopbench.add_contender("daemon", leave_a_process(front) + good_row);
        const auto ran = loopbench.in_shell(
            "sh -c 'sleep 1000 & echo $! > $folder/mine; exec $loopbench run --workload yield --blocks 1 -o "
            "$out'; code=$?; kill $(cat $folder/mine) || exit 99; exit $code");
        EXPECT_EQ(ran.code, 1) << ran.error_tail;
        const auto failed = time_of(loopbench.report(), "daemon");
        EXPECT_SAYS(failed.at("reason").get<std::string>(), "process group") << failed;
        EXPECT_TRUE(ends(std::stoi(content_of(loopbench.path("bin/contenders/daemon.pid")))));
        EXPECT_EQ(time_of(loopbench.report(), "asio-epoll").at("status"), "ok");
    }
}

TEST_F(temporary_files, an_orphaned_process_that_has_already_ended_does_not_fail_the_run) {
    loopbench.add_contender("asio-epoll", R"sh(
(setsid sh -c 'echo $$ > "$0.pid"' "$0" &)
until [ -s "$0.pid" ] && grep -q '^State:.Z' /proc/$(cat "$0.pid")/status; do :; done
rm "$0.pid"
)sh" + std::string{good_row});
    EXPECT_EQ(run().code, 0);
}

TEST_F(temporary_files, an_orphaned_process_that_starts_while_workloads_are_listed_is_ended) {
    write_script(loopbench.path("bin/contenders/asio-epoll"), leave_a_process("env -i") + "echo yield\n");
    EXPECT_EQ(loopbench({"list"}).code, 0);
    EXPECT_TRUE(ends(std::stoi(content_of(loopbench.path("bin/contenders/asio-epoll.pid")))));
}

// This name is not in the catalog, because a workload of the catalog might have a fixed pairing.
constexpr auto interleaved = "echo/rtt/conns:1";

TEST_F(temporary_files, slices_that_an_orphaned_process_disturbed_are_repeated) {
    constexpr auto knows_slices = R"(, "slices": "1")";
    loopbench.add_contender("asio-epoll", good_row, knows_slices);
    loopbench.add_contender("daemon",
                            "setsid sh -c 'touch \"$0.left\"; exec sleep 1000' \"$0\" &\n"
                            "while [ ! -e \"$0.left\" ]; do :; done\n" +
                                std::string{good_row},
                            knows_slices);
    const auto ran = loopbench({"run", "--workload", interleaved, "--pairing", "interleaved", "--blocks", "1",
                                "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 1) << ran.error_tail;
    const auto report = loopbench.report();
    EXPECT_EQ(time_of(report, "daemon", interleaved).at("status"), "failed");
    EXPECT_EQ(time_of(report, "asio-epoll", interleaved).at("status"), "ok");
    EXPECT_EQ(report.at("disturbances").at("repeated"), 1);
    EXPECT_EQ(report.at("disturbances").at("kept"), 0);
}

// A process with an empty environment cannot be attributed to a contender, so every contender that ran during
// its life counts as disturbed.
TEST_F(temporary_files, slices_that_a_process_of_unknown_origin_disturbed_are_repeated) {
    constexpr auto knows_slices = R"(, "slices": "1")";
    loopbench.add_contender("asio-epoll", good_row, knows_slices);
    loopbench.add_contender("daemon", leave_a_process("env -i") + good_row, knows_slices);
    const auto ran = loopbench({"run", "--workload", interleaved, "--pairing", "interleaved", "--blocks", "1",
                                "-o", loopbench.out()});
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
    const auto report = loopbench.report();
    EXPECT_EQ(time_of(report, "daemon", interleaved).at("status"), "ok");
    EXPECT_EQ(report.at("disturbances").at("repeated"), 1) << report.at("disturbances");
    EXPECT_GT(report.at("disturbances").at("kept"), 0) << report.at("disturbances");
    EXPECT_TRUE(ends(std::stoi(content_of(loopbench.path("bin/contenders/daemon.pid")))));
}

TEST_F(temporary_files, a_run_succeeds_if_its_caller_ignores_sigchld) {
    loopbench.add_contender("asio-epoll", good_row);
    const auto ran = run("trap '' CHLD;");
    EXPECT_EQ(ran.code, 0) << ran.error_tail;
}

}  // namespace

}  // namespace loopbench::tests
