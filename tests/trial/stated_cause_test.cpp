// Tests which line of a failed program's standard error becomes the reason of a trial.
#include "bench/harness/trial/stated_cause.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include "bench/harness/trial/run_trial.hpp"
#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;

struct failed_program {
    const char* report;  // a public report of such a program
    std::string printed;
    const char* cause;
};

const std::string scaling =
    "***WARNING*** CPU scaling is enabled, the benchmark real time measurements may be noisy.\n"
    "***WARNING*** Library was built as DEBUG. Timings may be affected.\n";
const std::string frames =
    "    #0 0x55d0c0 in parse /src/parse.cc:12\n    #1 0x7f01a0 in main (/src/bench+0x1f)\n";

const std::vector<failed_program> failed_programs{
    // Notes of Google Benchmark.
    {"google/benchmark#112", "cannot open words.txt\n" + scaling, "cannot open words.txt"},
    {"google/benchmark#325", scaling, ""},
    {"Chilledheart/yass#571",
     "no key\nUnable to determine clock rate from sysctl: hw.cpufrequency: No such file or directory\n"
     "This does not affect benchmark measurements, only the metadata output.\n"
     "***WARNING*** Failed to set thread affinity. Estimated CPU frequency may be incorrect.\n",
     "no key"},
    {"open-telemetry/opentelemetry-cpp#2620",
     "no exporter\n-- LOG(0): Value passed to --benchmark_min_time should have a suffix. Eg., `30s`\n",
     "no exporter"},
    {"google/benchmark#1812",
     "no such core\n2024-07-11T11:29:31+02:00\nRunning ./test/basic_test\nRun on (24 X 4700 MHz CPU s)\n"
     "CPU Caches:\n  L1 Data 48 KiB (x12)\n  L2 Unified 1280 KiB (x12)\nLoad Average: 5.07, 4.92, 2.97\n" +
         scaling,
     "no such core"},
    {"google/benchmark#977", "out of cores\n-->LOG(2): Ran in 0/0\n", "out of cores"},
    // Warnings of other libraries.
    {"open-telemetry/opentelemetry-cpp#3917",
     "no reader\n[Warning] File: sdk/src/metrics/meter.cc:719 [Meter::WarnOnDuplicate] seen\n", "no reader"},
    {"abseil/abseil-cpp#1718",
     "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\n"
     "E0000 00:00:1721203200.000000 17 server.cc:8] no certificate\n"
     "W0000 00:00:1721203200.000000 17 server.cc:9] slow start\n"
     "I0000 00:00:1721203200.000000 17 server.cc:10] stopped\n",
     "E0000 00:00:1721203200.000000 17 server.cc:8] no certificate"},
    {"bencherdev/bencher#506",
     "Error: cannot find module './hash'\n"
     "(node:96948) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.\n"
     "(Use `node --trace-deprecation ...` to show where the warning was created)\n",
     "Error: cannot find module './hash'"},
    {"airspeed-velocity/asv#144", "no data\nbench.py:4: UserWarning: before\n  warnings.warn('before')\n",
     "no data"},
    {"our own: OpenMP", "no device\nOMP: Warning #96: Cannot form a team with 8 threads.\n", "no device"},
    {"our own: log levels",
     "2026-11-27 10:00:00.123 [error] no shard\n2026-11-27 10:00:00.124 [info] stopping\n"
     "2026-11-27 10:00:00.125 [warn] 3 tasks left\nDEBUG done\n",
     "2026-11-27 10:00:00.123 [error] no shard"},
    // Assertions and checks.
    {"acts-project/detray#115",
     "benchmark_register.cc:398: Repetitions: Check `n > 0' failed. \n./run: line 2: 7 Aborted (core "
     "dumped)\n",
     "benchmark_register.cc:398: Repetitions: Check `n > 0' failed."},
    {"google/benchmark#450",
     "Benchmark: malloc.c:2394: sysmalloc: Assertion `(old_top == initial_top (av)' failed.\n" + scaling,
     "Benchmark: malloc.c:2394: sysmalloc: Assertion `(old_top == initial_top (av)' failed."},
    {"google/benchmark#937",
     "benchmark_runner.cc:120: RunInThread: Check `st.iterations() >= st.max_iterations' failed. Benchmark "
     "returned before State::KeepRunning() returned false!\n",
     "benchmark_runner.cc:120: RunInThread: Check `st.iterations() >= st.max_iterations' failed. Benchmark "
     "returned before State::KeepRunning() returned false!"},
    {"dtr-org/unit-e#722",
     "Assertion failed: (stream.Rewind(1)), function Check, file bench/checkblock.cpp, line 48.\n"
     "Abort trap: 6\n",
     "Assertion failed: (stream.Rewind(1)), function Check, file bench/checkblock.cpp, line 48."},
    {"ethz-asl/rotors_simulator#142",
     "WARNING: Logging before InitGoogleLogging() is written to STDERR\n"
     "F0113 14:13:57.417825 13315 motor.cc:8] Check failed: size < number (4 vs. 3)\n"
     "*** Check failure stack trace: ***\n    @     0x7f6a1c google::LogMessage::Fail()\n",
     "F0113 14:13:57.417825 13315 motor.cc:8] Check failed: size < number (4 vs. 3)"},
    // Exceptions.
    {"google/benchmark#973",
     "terminate called after throwing an instance of 'std::system_error'\n  what():  Invalid argument\n",
     "uncaught std::system_error: Invalid argument"},
    {"google/benchmark#751",
     "terminate called after throwing an instance of 'std::length_error'\n  what():  vector::reserve\n"
     "./NewSh.sh: line 17: 24703 Aborted                 ./Test.out\n",
     "uncaught std::length_error: vector::reserve"},
    {"facebook/rocksdb#988",
     "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n"
     "Received signal 6 (Aborted)\n#0   /lib64/libc.so.6(gsignal+0x35) [0x7eff70feb625]\n"
     "#1   /lib64/libc.so.6(abort+0x175) [0x7eff70fece05]\n",
     "uncaught std::bad_alloc: std::bad_alloc"},
    {"our own: libc++", "libc++abi: terminating due to uncaught exception of type int\n",
     "libc++abi: terminating due to uncaught exception of type int"},
    {"our own: an exception that is no std::exception",
     "terminate called after throwing an instance of 'int'\n" + scaling, "uncaught int"},
    // Sanitizers.
    {"google/benchmark#2240",
     "Failed to match any benchmarks against regex: \n=====\n"
     "==28147==ERROR: AddressSanitizer: heap-use-after-free on address 0x7c7f at pc 0x55\n" +
         frames + "SUMMARY: AddressSanitizer: heap-use-after-free parse.cc:12 in parse\n" +
         "Shadow bytes around the buggy address:\n  0x7c7ff69eb000: fa fa fd fd\n"
         "Shadow byte legend (one shadow byte represents 8 application bytes):\n"
         "  Addressable:           00\n==28147==ABORTING\n",
     "SUMMARY: AddressSanitizer: heap-use-after-free parse.cc:12 in parse"},
    {"openwall/john#1486",
     "==================\nWARNING: ThreadSanitizer: data race (pid=5)\n" + frames +
         "\nSUMMARY: ThreadSanitizer: data race bs_b.c:1188 finalize\n==================\n"
         "ThreadSanitizer: reported 1 warnings\n",
     "SUMMARY: ThreadSanitizer: data race bs_b.c:1188 finalize"},
    {"google/benchmark#1196",
     "benchmark_api_internal.h:35:49: runtime error: reference binding to null pointer of type 'BigOFunc'\n" +
         frames,
     "benchmark_api_internal.h:35:49: runtime error: reference binding to null pointer of type 'BigOFunc'"},
    {"kaist-cp/cs420#617",
     "qsort.c:15:16: runtime error: signed integer overflow: 94069550 * 97\n"
     "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior qsort.c:15:16 in \n",
     "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior qsort.c:15:16 in"},
    // Loaders and interpreters.
    {"ada-url/ada#233",
     "bench: error while loading shared libraries: libservo_url.so: cannot open shared object file: No such "
     "file or directory\n",
     "bench: error while loading shared libraries: libservo_url.so: cannot open shared object file: No such "
     "file or directory"},
    {"numpy/numpy#24482",
     "Traceback (most recent call last):\n  File \"asv\", line 8, in <module>\n    sys.exit(main())\n"
     "RuntimeError: `asv dev` has been removed\nsys:1: ResourceWarning: unclosed file\n",
     "RuntimeError: `asv dev` has been removed"},
    {"our own: a Rust panic",
     "thread 'main' panicked at benches/sort.rs:4:5:\nno input\n"
     "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
     "thread 'main' panicked at benches/sort.rs:4:5: no input"},
    {"our own: a Go panic",
     "panic: no input\n\ngoroutine 1 [running]:\nmain.main()\n\t/x.go:4 +0x18\nexit status 2\n",
     "panic: no input"},
    {"our own: Java",
     "Exception in thread \"main\" java.lang.Error: no input\n\tat Bench.main(Bench.java:4)\n",
     "Exception in thread \"main\" java.lang.Error: no input"},
    {"our own: wrong options", "sort: invalid option -- 'y'\nTry 'sort --help' for more information.\n",
     "sort: invalid option -- 'y'"},
    {"sharkdp/hyperfine#785", "./run.sh: line 2: 41 Segmentation fault (core dumped) ./bench\n",
     "./run.sh: line 2: 41 Segmentation fault (core dumped) ./bench"},
    // Terminals.
    {"our own: colours", "\033[1;31merror:\033[0m no input\033[K\n\033[33mwarning:\033[0m 3 files left\n",
     "error: no input"},
    {"our own: a progress bar", "\r[##  ] 40%\r[####] 100%\rno input\r\n", "no input"},
    {"our own: a progress bar in front of a message",
     "\rloading  40%terminate called after throwing an instance of 'E'\n  what():  x\n", "uncaught E: x"},
    {"our own: a progress bar after a message", "no input\n\r 1/9 files\r 9/9 files", "no input"},
    {"our own: bytes", "no \xff input\n", "no \xEF\xBF\xBD input"},
    {"our own: a NUL byte", std::string{"no\0 input\n", 10}, "no input"},
    {"our own: blank lines and rules", "no input\n\n-----\n  \n=====\n", "no input"},
    // Words of a mark within names and sentences.
    {"our own: a program called debug", "sort-debug: ../sort.cc:12: main: Assertion `n > 0' failed.\n",
     "sort-debug: ../sort.cc:12: main: Assertion `n > 0' failed."},
    {"our own: a program called trace",
     "./bench_trace: error while loading shared libraries: libx.so.1: cannot open shared object file\n",
     "./bench_trace: error while loading shared libraries: libx.so.1: cannot open shared object file"},
    {"our own: a wrong option of such a program", "bench-debug: invalid option -- 'y'\n",
     "bench-debug: invalid option -- 'y'"},
    {"our own: a file called trace", "cannot open bench.trace: No such file or directory\n",
     "cannot open bench.trace: No such file or directory"},
    {"our own: a folder called info", "/var/run/info: Permission denied\n",
     "/var/run/info: Permission denied"},
    {"our own: a hint behind the cause", "cannot open words.txt (hint: pass -w)\n",
     "cannot open words.txt (hint: pass -w)"},
    {"our own: a note behind the cause", "no words; note: use -w\n", "no words; note: use -w"},
    {"our own: a namespace called trace",
     "terminate called after throwing an instance of 'trace::error'\n  what():  no input\n",
     "uncaught trace::error: no input"},
    {"our own: a capital word", "cannot parse FRAME INFO\n", "cannot parse FRAME INFO"},
    // The last line wins.
    {"our own: a computed error", "relative error: 1.2e-15\ncannot open words.txt\n",
     "cannot open words.txt"},
    {"our own: an error that ended nothing",
     "[error] telemetry: connection refused\n./bench: words.txt: No such file or directory\n",
     "./bench: words.txt: No such file or directory"},
    {"our own: a handled exception of Python",
     "Traceback (most recent call last):\n  File \"b.py\", line 3\nImportError: no numpy\ncannot open "
     "words.txt\n",
     "cannot open words.txt"},
    {"our own: an exception while Python ends",
     "Traceback (most recent call last):\n  File \"b.py\", line 3\nRuntimeError: no input\n"
     "Exception ignored in: <function X.__del__ at 0x7f>\nTraceback (most recent call last):\n"
     "  File \"b.py\", line 9\nAttributeError: x\n",
     "RuntimeError: no input"},
    {"our own: exceptions of a group",
     "  + Exception Group Traceback (most recent call last):\n  |   File \"b.py\", line 3\n"
     "  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  +-+---------------- 1 "
     "----------------\n    | Traceback (most recent call last):\n    |   File \"b.py\", line 4\n"
     "    | ValueError: no input\n    +------------------------------------\n",
     "ValueError: no input"},
    // Indented lines, and the words of shells.
    {"our own: an indented message after a warning", scaling + "  no words\n", "no words"},
    {"our own: an indented message between rules", "-----\n  cannot open words.txt\n-----\n",
     "cannot open words.txt"},
    {"our own: a shell's words", "no input\nSegmentation fault\n", "no input"},
    {"our own: make", "no input\ngmake[1]: *** [Makefile:3: bench] Error 1\n", "no input"},
    {"our own: LOG in an assertion", "x.cc:9: main: Assertion `LOG(n) > 0' failed.\n",
     "x.cc:9: main: Assertion `LOG(n) > 0' failed."},
    {"our own: help", "cannot open words.txt\nTry 'bench --help' for options.\n", "cannot open words.txt"},
    {"our own: a date of Go after a progress bar", "\r 40%\r2026/11/27 10:00:00 cannot open words.txt\n",
     "2026/11/27 10:00:00 cannot open words.txt"},
    {"our own: a path after a progress bar", "\r 40%\rcannot open /data/2024/07\n",
     "cannot open /data/2024/07"},
    {"our own: tput", "\033(B\033[mno input\n", "no input"},
    {"our own: another language", "Datei fehlt: größe.txt\n警告なし\n", "警告なし"},
    {"our own: nothing", "", ""}};

TEST(stated_cause, the_cause_of_a_failure_is_not_hidden_by_warnings_and_notes) {
    for (const auto& [report, printed, cause] : failed_programs)
        EXPECT_EQ(bench::stated_cause(printed), cause) << report;
}

TEST(stated_cause, warnings_after_the_cause_do_not_change_it) {
    for (const auto& [report, printed, cause] : failed_programs)
        EXPECT_EQ(bench::stated_cause(printed + "\n" + scaling), cause) << report;
}

TEST(stated_cause, a_long_line_is_shortened) {
    const auto cause = bench::stated_cause("fatal: " + std::string(100'000, 'x') + "\n" + scaling);
    EXPECT_TRUE(cause.starts_with("fatal: xxx") && cause.ends_with("x...")) << cause;
    EXPECT_LT(cause.size(), 600U);
}

TEST(stated_cause, the_reason_of_a_trial_names_the_cause_although_warnings_follow_it) {
    const temporary_folder folder;
    write_script(folder / "bench", R"(
printf 'cannot open words.txt\n***WARNING*** CPU scaling is enabled, and more\n' >&2
[ "$how" = kills ] && kill -SEGV $$
[ "$how" = exits ] && exit 3
[ "$how" = skips ] && row='"error_occurred":true,"error_message":"no words"'
echo '{"benchmarks":[{"name":"a",'"${row:-\"real_time\":0}"'}]}'
)");
    for (const auto& [how, reason] : std::vector<std::pair<const char*, const char*>>{
             {"kills", "killed by SIGSEGV: cannot open words.txt"},
             {"exits", "exit code 3: cannot open words.txt"},
             {"skips", "no words: cannot open words.txt"},
             {"has no time", "the contender printed no time above 0: cannot open words.txt"}}) {
        bench::contender who{"bench", folder / "bench", {"a"}, ""};
        who.environment["how"] = how;
        const auto trial =
            bench::process_executor{-1}.run({who, "a", 0.001, bench::workload_size::small, 60s});
        EXPECT_EQ(trial.reason, reason);
    }
}

}  // namespace

}  // namespace loopbench::tests
