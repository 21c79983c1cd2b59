// A Google Benchmark program that behaves oddly, as the environment variable ODD says.
#include <benchmark/benchmark.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace {

bool is_odd(std::string_view how) {
    const char* const chosen = std::getenv("ODD");
    return chosen != nullptr && how == chosen;
}

void print(const char* text) {
    std::fputs(text, stdout);
    std::fflush(stdout);
}

void odd(benchmark::State& state) {
    if (is_odd("prints") || is_odd("prints as another user")) print("loading tables...\n");
    if (is_odd("prints as another user") && ::geteuid() == ::getuid())
        state.SkipWithError("the program runs as its caller");
    if (is_odd("prints a brace")) std::cout << "{" << std::endl;
    if (is_odd("warns a lot"))
        for (int i = 0; i < 20'000; ++i) std::fputs("W0101 something is deprecated, and more\n", stderr);
    for ([[maybe_unused]] auto _ : state) {
        if (is_odd("prints in the loop") && state.iterations() == 0) print("x\n");
        state.SetIterationTime(1e-4);
    }
    if (is_odd("crashes")) ::raise(SIGSEGV);
    if (is_odd("exits")) std::exit(0);
    if (is_odd("throws")) throw std::runtime_error("boom");
}
BENCHMARK(odd)->UseManualTime();

struct with_destructor {
    ~with_destructor() {
        if (is_odd("prints at exit")) print("bye\n");
        if (is_odd("crashes at exit")) std::abort();
    }
} const at_exit;

void print_first() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    if (is_odd("prints the time")) print(("[" + std::to_string(now) + "] [info] hello\n").c_str());
    if (is_odd("prints a word")) print("ready\n");
    if (is_odd("prints colours")) print("\033[32mgreen\033[0m\r\nwith CRLF\r\n");
    if (is_odd("prints JSON")) print("{\"log\": \"start\"}\n");
    if (is_odd("prints progress")) print("\rloading 10%\rloading 100%\n");
    if (is_odd("prints bytes")) print("\xff\xfe\n");
}

}  // namespace

int main(int argc, char** argv) {
    print_first();
    if (is_odd("changes its folder") && ::chdir("/") != 0) return 9;
    if (is_odd("waits for input"))
        while (std::getchar() != EOF) {
        }
    if (is_odd("has a thread")) std::thread([] { ::pause(); }).detach();
    if (is_odd("restarts itself") && ::setenv("ODD", "", 1) == 0) ::execv(argv[0], argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    if (is_odd("prints afterwards")) print("done\n");
}
