#include "bench/harness/trial/interleaving.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "bench/harness/machine/kernel_files.hpp"
#include "bench/harness/statistics/random.hpp"
#include "bench/harness/trial/process/running_child.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

namespace {

using clock = running_child::clock;
using reports::uninterrupted;
using reports::unique_fd;

/// An object that pins this thread to the contenders' core until its destruction. Thus, granting a slice
/// wakes no other core.
class kept_on {
public:
    explicit kept_on(std::optional<int> cpu) {
        if (!cpu || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(*cpu), &one);
        moved_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
    }
    kept_on(const kept_on&) = delete;
    kept_on& operator=(const kept_on&) = delete;
    ~kept_on() {
        if (moved_) ::sched_setaffinity(0, sizeof before_, &before_);
    }

private:
    cpu_set_t before_;
    bool moved_ = false;
};

/// Swaps random neighbours in the order of the contenders. Each contender moves by at most one position, so
/// that none waits much longer than a round. If a contender waited for 40 ms, the kernel would acknowledge
/// the unread data of its sockets during other contenders' slices (tcp_send_delayed_ack() in Linux's
/// tcp_output.c).
void swap_neighbours(std::vector<std::size_t>& order, std::size_t first, std::mt19937_64& random) {
    for (std::size_t i = first; i + 1 < order.size(); i += 2)
        if (below(random, 2) == 1) std::swap(order[i], order[i + 1]);
}

class player {
public:
    player(const child_request& request, const slice_lengths& slice) : request_{request} {
        const auto microseconds = [](auto time) {
            return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
        };
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
            throw_errno("cannot create a socket pair for a contender");
        ours_ = unique_fd{ends[0]};
        const unique_fd theirs{ends[1]};
        request_.inherited = {theirs.get()};
        request_.environment.emplace_back(
            "LOOPBENCH_SLICES", fmt::format("{},{},{},{}", theirs.get(), theirs.get(),
                                            microseconds(slice.untimed), microseconds(slice.timed)));
        child_.emplace(request_);
    }

    bool is_over() const noexcept { return child_->is_over(); }
    void end_because(child_end why) noexcept { child_->end_because(why); }
    std::chrono::nanoseconds timed() const noexcept { return timed_; }

    void hear(clock::time_point until, int stop_fd, child_end when_late) {
        while (!is_over()) {
            const auto [output, error, process] = child_->watched();
            std::array<pollfd, 5> watched{
                output, error, process, {ours_.get(), POLLIN, 0}, {stop_fd, POLLIN, 0}};
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
            const auto wait = static_cast<int>(std::clamp<std::int64_t>(left, 0, longest_wait_ms));
            if (uninterrupted([&] { return ::poll(watched.data(), watched.size(), wait); }) < 0)
                throw_errno("cannot wait for a contender");
            if (watched[4].revents != 0) return end_because(child_end::stopped);
            child_->go_on(std::span{watched}.first<3>());
            const bool answered = watched[3].revents != 0 && has_heard_line();
            if (clock::now() >= until) return end_because(when_late);
            if (answered) return;
        }
    }

    void give(char what) noexcept {
        given_ = clock::now();
        static_cast<void>(uninterrupted([&] { return ::send(ours_.get(), &what, 1, MSG_NOSIGNAL); }));
    }

    outcome_by_slices finish() { return {child_->finish(), false, std::move(slices_)}; }

private:
    static constexpr std::int64_t longest_wait_ms = 3'600'000;

    bool has_heard_line() {
        std::array<char, 256> chunk;
        const auto count = uninterrupted([&] { return ::read(ours_.get(), chunk.data(), chunk.size()); });
        if (count <= 0) {
            ours_.reset();  // poll() ignores descriptor -1
            return false;
        }
        heard_.append(chunk.data(), static_cast<std::size_t>(count));
        const auto end = heard_.find('\n');
        if (end == std::string::npos && heard_.size() < chunk.size()) return false;
        // A reply is one line. After it, the contender must write nothing until it receives the next slice.
        if (end + 1 != heard_.size() || !take_line(std::string_view{heard_}.substr(0, end)))
            end_because(child_end::broke_protocol);
        heard_.clear();
        return true;
    }

    bool take_line(std::string_view line) {
        if (line == "ready") return true;
        // The first two numbers are the operations and nanoseconds of the timed part; the last two are those
        // of the untimed part.
        std::array<std::int64_t, 4> numbers{};
        std::size_t count = 0;
        const char *here = line.data(), *const end = line.data() + line.size();
        for (bool more = true; more; ++count) {
            if (count == numbers.size()) return false;
            const auto [after, wrong] = std::from_chars(here, end, numbers[count]);
            if (wrong != std::errc{} || numbers[count] < 0) return false;
            more = after != end;
            if (more && *after != ' ') return false;
            here = after + 1;
        }
        using std::chrono::nanoseconds;
        if ((count != 2 && count != 4) || numbers[0] == 0 || numbers[1] == 0 ||
            nanoseconds{numbers[1]} > slice_limit || nanoseconds{numbers[3]} > slice_limit)
            return false;
        slices_.push_back({.operations = static_cast<std::uint64_t>(numbers[0]),
                           .untimed_operations = static_cast<std::uint64_t>(numbers[2]),
                           .timed = nanoseconds{numbers[1]},
                           .untimed = nanoseconds{numbers[3]},
                           .observed = clock::now() - given_});
        timed_ += nanoseconds{numbers[1]};
        return true;
    }

    child_request request_;
    unique_fd ours_;  // the contender uses the other end as IN and OUT (slices.hpp)
    std::optional<running_child> child_;
    std::string heard_;
    std::vector<slice> slices_;
    clock::time_point given_{};
    std::chrono::nanoseconds timed_{0};
};

}  // namespace

std::vector<outcome_by_slices> run_interleaved(std::span<const child_request> requests,
                                               const slice_rules& rules) {
    const kept_on core{requests.empty() ? std::nullopt : requests.front().cpu};
    const auto deadline = clock::now() + rules.limit;
    const auto waited_before = main_thread_times_of(::getpid()).run_delay_ns;
    std::mt19937_64 random{rules.seed};
    std::deque<player> all;
    std::vector<outcome_by_slices> outcomes(requests.size());
    std::vector<std::size_t> playing;
    const auto hear = [&](std::size_t i, std::chrono::nanoseconds limit, child_end when_late) {
        const auto late = clock::now() + limit;
        all[i].hear(std::min(deadline, late), rules.stop_fd,
                    deadline < late ? child_end::timed_out : when_late);
        if (!all[i].is_over()) return;
        outcomes[i] = all[i].finish();  // ends contender i while no other contender has a slice
        outcomes[i].out_of_time = outcomes[i].child.end == child_end::timed_out && clock::now() >= deadline;
        if (rules.ended) rules.ended(i, outcomes[i].child);
        std::erase(playing, i);
    };
    // The contenders start one after the other, so that no contender works while another one makes its
    // connections.
    bool stopped = false;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        stopped = stopped || (i > 0 && outcomes[i - 1].child.end == child_end::stopped);
        if (stopped || clock::now() >= deadline) {
            outcomes[i].child.end = stopped ? child_end::stopped : child_end::timed_out;
            outcomes[i].out_of_time = !stopped;
            continue;
        }
        all.emplace_back(requests[i], rules.lengths);
        playing.push_back(i);
        hear(i, requests[i].limit, child_end::timed_out);
    }
    for (std::size_t left = playing.size(); left > 1; --left)
        std::swap(playing[left - 1], playing[below(random, left)]);
    for (std::size_t first = 0; !playing.empty(); first = 1 - first) {
        swap_neighbours(playing, first, random);
        const auto round = playing;
        for (const std::size_t i : round) {
            const bool enough = all[i].timed() >= rules.enough;
            if (clock::now() < deadline) all[i].give(enough ? 'e' : 't');
            hear(i, enough ? requests[i].limit : rules.longest_slice,
                 enough ? child_end::timed_out : child_end::kept_slice);
        }
    }
    const std::chrono::nanoseconds waited{main_thread_times_of(::getpid()).run_delay_ns - waited_before};
    for (auto& each : outcomes) each.harness_waited = waited;
    return outcomes;
}

}  // namespace loopbench::bench
