// Tests that a loop runs every posted function once, and in the order of its thread. Four threads post a
// number of functions (--posts, by default a billion) to a loop on epoll, and then to a loop on io_uring.
// Prints one JSON document.
//
// Each thread posts bursts of 1 to 4,096 functions, and waits for the end of each burst. The loop therefore
// falls asleep and is woken millions of times, and the pending posts fit into memory. If a wake-up is lost,
// the program does not end.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <future>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/harness/cli/session/time_left.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/machine/environment.hpp"
#include "loop/designs.hpp"
#include "loop/io/drivers.hpp"
#include "tests/loop/manual_clock.hpp"

namespace {

using namespace loopbench;
using json = nlohmann::ordered_json;
using steady_clock = std::chrono::steady_clock;

constexpr std::size_t threads = 4;

struct alignas(64) sender {
    std::uint64_t next = 0;          // the expected number of the next post; used by the loop's thread
    std::uint64_t out_of_order = 0;  // number of posts in the wrong order; used by the loop's thread
    std::atomic<std::uint64_t> ended{0};
};

struct tally {
    std::uint64_t received = 0;
    std::uint64_t out_of_order = 0;
    std::uint64_t sleeps = 0;
    std::chrono::duration<double> took{0};
};

/// Posts to a new loop from all threads, and returns the results. At any time, other threads can read from
/// `received` how many functions have run.
tally post_to(std::string_view design, std::uint64_t posts_of_each, std::atomic<std::uint64_t>& received) {
    loop::test::counting_clock clock;
    const auto owner = loop::make_loop(design, &clock);
    loop::event_loop& loop = *owner;
    std::array<sender, threads> senders;
    const auto post_all = [&](std::size_t index) {
        sender& from = senders[index];
        std::minstd_rand random(static_cast<unsigned>(index + 1));
        constexpr unsigned burst_bits_max = 12;
        for (std::uint64_t posted = 0; posted < posts_of_each;) {
            const std::uint64_t burst = std::uint64_t{1} << random() % (burst_bits_max + 1);
            const std::uint64_t end = std::min(posted + burst, posts_of_each);
            for (; posted < end; ++posted) {
                loop.post_from_any_thread([&received, &from, number = posted, is_last = posted + 1 == end] {
                    received.store(received.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
                    from.out_of_order += number != from.next;
                    from.next = number + 1;
                    if (!is_last) return;
                    from.ended.store(number + 1);
                    from.ended.notify_one();
                });
            }
            for (std::uint64_t seen = from.ended; seen < end; seen = from.ended) from.ended.wait(seen);
        }
    };
    const auto start = steady_clock::now();
    std::jthread all([&] {
        {
            std::vector<std::jthread> posting;
            for (std::size_t index = 0; index < threads; ++index) posting.emplace_back(post_all, index);
        }
        loop.stop_from_any_thread();
    });
    loop.run_forever();
    tally found{.received = received, .sleeps = clock.sleeps(), .took = steady_clock::now() - start};
    for (const sender& each : senders) found.out_of_order += each.out_of_order;
    return found;
}

/// A display that redraws one line each second on a terminal, and otherwise adds a line each minute.
class progress {
public:
    explicit progress(std::string_view design, std::uint64_t total) : design_(design), total_(total) {}
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() {
        if (is_terminal_) fmt::print(stderr, "\r\x1b[K");
    }

    std::chrono::seconds pause() const { return std::chrono::seconds(is_terminal_ ? 1 : 60); }

    void show(std::uint64_t done) const {
        const auto left = bench::time_left(steady_clock::now() - started_, done, total_, {});
        fmt::print(stderr, "{}{}: {} of {} million posts{}{}", is_terminal_ ? "\r\x1b[K" : "", design_,
                   done / million, total_ / million,
                   left ? fmt::format(", {} left", bench::countdown(*left)) : "", is_terminal_ ? "" : "\n");
        std::fflush(stderr);
    }

private:
    static constexpr std::uint64_t million = 1'000'000;

    const bool is_terminal_ = bench::is_terminal(STDERR_FILENO);
    const std::string_view design_;
    const std::uint64_t total_;
    const steady_clock::time_point started_ = steady_clock::now();
};

json result_of(std::string_view design, std::uint64_t posts_of_each) {
    const std::uint64_t posts = posts_of_each * threads;
    std::atomic<std::uint64_t> received{0};
    auto running = std::async(std::launch::async, [&] { return post_to(design, posts_of_each, received); });
    {
        const progress watched(design, posts);
        while (running.wait_for(watched.pause()) == std::future_status::timeout) watched.show(received);
    }
    const tally found = running.get();
    return {{"loop", design},
            {"posts", posts},
            {"received", found.received},
            {"out_of_order", found.out_of_order},
            {"sleeps", found.sleeps},
            {"seconds", found.took.count()},
            {"passed", found.received == posts && found.out_of_order == 0}};
}

}  // namespace

int main(int count, char** arguments) {
    std::uint64_t posts = 1'000'000'000;
    CLI::App command(
        "Posts functions from four threads to a loop on epoll and to one on io_uring, and counts those that "
        "run.");
    command.add_option("--posts", posts, "Number of posts to each loop")
        ->check(CLI::Range(std::uint64_t{threads}, std::uint64_t{1} << 40))
        ->capture_default_str();
    CLI11_PARSE(command, count, arguments);
    try {
        const auto where = bench::read_environment();
        json document{{"date", where.date},     {"cpu_model", where.cpu_model}, {"cores", where.cores},
                      {"kernel", where.kernel}, {"threads", threads},           {"loops", json::array()}};
        bool passed = true;
        for (const std::string_view design : {"loop-epoll", "loop-uring"}) {
            const auto refusal = design == "loop-uring" ? loop::io_uring_refusal() : "";
            const json result = refusal.empty() ? result_of(design, posts / threads)
                                                : json{{"loop", design}, {"unsupported", refusal}};
            passed = passed && result.value("passed", true);
            document["loops"].push_back(result);
        }
        fmt::print("{}\n", document.dump(4));
        return passed ? 0 : 1;
    } catch (const std::exception& failure) {
        fmt::print(stderr, "posts_from_four_threads: {}\n", failure.what());
        return 1;
    }
}
