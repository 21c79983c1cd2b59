// A contender with a plain workload, a copy of it that costs one more system call and one more allocation per
// operation, and workloads with unusual behaviour.
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "asio_ref/runtime.hpp"
#include "bench/suite/contenders/contender_main.hpp"

namespace loopbench::bench {
namespace {

struct dearer_runtime : asio_ref::runtime {
    auto yield() {
        static_cast<void>(::fcntl(0, F_GETFD));
        void* volatile planted = std::malloc(40);
        std::free(planted);
        return asio_ref::runtime::yield();
    }
};

void same_work_always(trial& t) {
    t.begin();
    t.end();
    t.did(100);
    t.prove("things done", 1, 1);
}

void count_runs(trial& t) {
    static int runs = 0;
    ++runs;
    t.begin();
    while (const std::uint64_t count = t.next())
        for (std::uint64_t i = 0; i < count; ++i) static_cast<void>(::fcntl(0, F_GETFD));
    t.end();
    t.report("runs", runs);
    t.prove("things done", 1, 1);
}

/// Takes 200 us for each operation, and reports the number of operations of the longest warm-up. A trial with
/// a limited number of operations is a warm-up; the measured trial has no limit.
void take_time(trial& t) {
    static std::uint64_t most = 0;
    const bool was_told = t.operations() < std::uint64_t{1} << 40;
    t.begin();
    while (const std::uint64_t count = t.next())
        for (std::uint64_t i = 0; i < count; ++i) {
            using clock = std::chrono::steady_clock;
            for (const auto end = clock::now() + std::chrono::microseconds(200); clock::now() < end;) {
            }
        }
    t.end();
    if (was_told) most = std::max(most, t.operations_done());
    t.report("warm_up_operations", static_cast<double>(most));
    t.prove("things done", 1, 1);
}

bool is_traced() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (word != "TracerPid:" && status >> word) {
    }
    return status >> word && word != "0";
}

void wait_for_ever_when_traced(trial& t) {
    while (is_traced()) ::pause();
    t.begin();
    t.end();
    t.prove("things done", 1, 1);
}

void take_three_seconds_when_traced(trial& t) {
    if (is_traced()) ::sleep(3);
    t.begin();
    while (const std::uint64_t count = t.next())
        for (std::uint64_t i = 0; i < count; ++i) static_cast<void>(::fcntl(0, F_GETFD));
    t.end();
    t.prove("things done", 1, 1);
}

/// Makes calls that wake no thread.
void call_futex(std::uint64_t calls) {
    std::uint32_t word = 0;
    for (; calls > 0; --calls)
        static_cast<void>(::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0));
}

void call_futex_three_times(trial& t) {
    t.begin();
    while (const std::uint64_t count = t.next()) call_futex(3 * count);
    t.end();
    t.prove("things done", 1, 1);
}

/// The more operations there are, the fewer calls it makes.
void call_futex_less_often(trial& t) {
    t.begin();
    std::uint64_t operations = 0;
    while (const std::uint64_t count = t.next()) operations += count;
    call_futex(30'000 / operations);
    t.end();
    t.prove("things done", 1, 1);
}

template <Runtime R>
contender_workload with_runtime(const workload_shape& shape, task_of<R> (*run)(R&, trial&)) {
    return {shape, on_fresh_runtime<R>(run, [] { return std::make_unique<R>(); })};
}

template <Runtime R>
contender_workload yields(std::string_view name) {
    return with_runtime<R>({name, 1000, 1000}, workloads::yield<R>);
}

}  // namespace
}  // namespace loopbench::bench

int main(int argc, char** argv) {
    using namespace loopbench::bench;
    using plain = loopbench::asio_ref::runtime;
    return run_contender(
        argc, argv, {.name = "planted", .library = "Boost.Asio", .library_version = "1", .driver = "epoll"},
        {yields<plain>("yield/plain"),
         yields<dearer_runtime>("yield/dearer"),
         with_runtime<plain>({"echo", 500, 500}, workloads::echo_rtt_tcp<plain, 1>),
         {{"same", 10, 10}, same_work_always},
         {{"runs"}, count_runs},
         {{"slow"}, take_time},
         {{"shy", 10, 10}, wait_for_ever_when_traced},
         {{"hesitant", 10, 10}, take_three_seconds_when_traced},
         {{"threads/post/stay/chains:64/threads:1", 100, 100}, call_futex_three_times},
         {{"threads/post/stay/chains:64/threads:2", 100, 100}, call_futex_three_times},
         {{"threads/post/move/chains:64/threads:2", 100, 100}, call_futex_less_often}});
}
