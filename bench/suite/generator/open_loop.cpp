#include "bench/suite/generator/open_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/suite/generator/client.hpp"
#include "loop/io/drivers.hpp"

namespace loopbench::bench {

namespace {

using clock = std::chrono::steady_clock;

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

client visit(const open_loop_plan& plan, const conversation& words, const link_maker& make,
             open_loop_result& result) {
    chosen_link way = make(plan);
    result.refused = way.refused;
    result.io = way.made->name();
    return client(std::move(way.made), plan.connections, words);
}

std::string settle(const open_loop_plan& plan, client& all) {
    const clock::time_point begin = clock::now();
    while (all.unanswered() > 0) {
        all.exchange();
        if (const auto why = all.receive([](std::size_t, std::uint64_t, bool) {}); !why.empty())
            return std::string(why);
        if (clock::now() > begin + plan.patience)
            return fmt::format("the first replies did not arrive within {:g} s", seconds(plan.patience));
    }
    return {};
}

/// Makes one round trip on each connection. Otherwise, a measured latency could include the time in which the
/// server accepts the connection. Returns the reason for a failure.
std::string warm_up(const open_loop_plan& plan, client& all) {
    for (std::size_t i = 0; i < all.connections(); ++i) all.send(i);
    return settle(plan, all);
}

/// Measures the capacity with a closed loop. The measurement is extended until 1000 replies have arrived.
/// With fewer replies, the result could show only how long the server waited for a core.
void measure_capacity(const open_loop_plan& plan, client& all, open_loop_result& result) {
    std::uint64_t replies = 0;
    for (std::size_t i = 0; i < all.connections(); ++i) all.send(i);
    const clock::time_point start = clock::now();
    const clock::time_point end = start + plan.capacity_time;
    clock::time_point now = start;
    const std::uint64_t fewest = 4 * all.connections(), enough = std::max<std::uint64_t>(fewest, 1000);
    for (; (now < end || replies < enough) && result.failure.empty(); now = clock::now()) {
        if (now > end + plan.patience) {
            if (replies >= fewest) break;
            result.failure = fmt::format(
                "the contender answered only {} requests in {:g} s while its capacity was measured", replies,
                seconds(now - start));
        }
        all.exchange();
        const auto why = all.receive([&](std::size_t index, std::uint64_t, bool) {
            ++replies;
            all.send(index);
        });
        if (!why.empty()) result.failure = why;
    }
    result.capacity = static_cast<double>(replies) / seconds(now - start);
}

class schedule {
public:
    schedule(const open_loop_plan& plan, std::uint64_t requests, client& all, open_loop_result& result)
        : plan_(plan),
          requests_(requests),
          all_(all),
          result_(result),
          interval_(1e9 / result.rate),
          sent_at_(requests) {}

    void run() {
        if (result_.failure = warm_up(plan_, all_); !result_.failure.empty()) return;
        for (std::size_t i = 0; i < all_.connections(); ++i) before_.push_back(all_.sent_on(i));
        start_ = came_ = clock::now();
        std::chrono::nanoseconds busy{0};
        clock::time_point turn = start_;
        while (received_ < requests_ && result_.failure.empty()) {
            const bool worked = one_turn(turn);
            const clock::time_point now = clock::now();
            if (worked) busy += now - turn;
            turn = now;
            if (now > intended(requests_) + plan_.patience)
                result_.failure =
                    fmt::format("{} of {} replies did not arrive within {:g} s after the last request",
                                requests_ - received_, requests_, seconds(plan_.patience));
        }
        result_.busy = seconds(busy) / seconds(turn - start_);
    }

private:
    clock::time_point intended(std::uint64_t number) const {
        return start_ +
               std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(number) * interval_));
    }

    bool one_turn(clock::time_point now) {
        const std::uint64_t sent_before = result_.sent;
        const std::uint64_t received_before = received_;
        send_what_is_due(now);
        result_.failure = all_.receive([&](std::size_t index, std::uint64_t answered, bool right) {
            take(number_of(index, answered), right);
        });
        return result_.sent != sent_before || received_ != received_before;
    }

    void send_what_is_due(clock::time_point now) {
        const std::uint64_t first = result_.sent;
        while (result_.sent < requests_ && intended(result_.sent) <= now) {
            if (!all_.send(result_.sent % all_.connections())) {
                is_held_back_ = true;
                break;
            }
            ++result_.sent;
            if (std::exchange(is_held_back_, false)) ++result_.held_back;
        }
        all_.exchange();
        const clock::time_point looked = std::exchange(came_, clock::now());
        if (!plan_.http) unwatched_ = came_ - looked;  // with HTTP, replies do not wait for a check
        if (result_.sent != first) note_when_sent(first, now);
    }

    void note_when_sent(std::uint64_t first, clock::time_point began) {
        const auto each = (came_ - began) / static_cast<std::int64_t>(result_.sent - first);
        for (std::uint64_t number = first; number < result_.sent; ++number, began += each)
            sent_at_[number] = began;
    }

    std::uint64_t number_of(std::size_t index, std::uint64_t answered) const {
        return (answered - before_[index]) * all_.connections() + index;
    }

    void take(std::uint64_t number, bool right) {
        ++received_;
        const std::chrono::nanoseconds late = sent_at_[number] - intended(number);
        const std::chrono::nanoseconds from_send = came_ - sent_at_[number];
        if (is_measured(late, late + from_send)) {
            result_.latency.record((late + from_send).count());
            result_.latency_from_send.record(from_send.count());
            result_.send_lateness.record(late.count());
        } else {
            ++result_.left_out;
        }
        auto& least = number < requests_ / 2 ? result_.least_of_first_half : result_.least_of_second_half;
        least = std::min(least, from_send);
        ++(right ? result_.replies : result_.wrong_replies);
    }

    bool is_measured(std::chrono::nanoseconds late, std::chrono::nanoseconds latency) const {
        const auto is_small = [&](std::chrono::nanoseconds part, std::chrono::nanoseconds limit) {
            return part <= limit || part <= latency / 10;
        };
        return is_small(late, plan_.late_max) && is_small(unwatched_, plan_.unwatched_max);
    }

    const open_loop_plan& plan_;
    std::uint64_t requests_;
    client& all_;
    open_loop_result& result_;
    double interval_;
    std::vector<clock::time_point> sent_at_;
    std::vector<std::uint64_t> before_;
    clock::time_point start_{};
    clock::time_point came_{};
    std::chrono::nanoseconds unwatched_{};  // time between the last two checks for replies
    std::uint64_t received_ = 0;
    bool is_held_back_ = false;  // the next request was due, but its connection accepted no more data
};

/// Returns the reason why the generator cannot offer the rate, or nothing if it can. Up to five short
/// schedules run until one of them is valid, because other work on the machine can disturb a single schedule.
/// Wrong replies are ignored here, because the real schedule reports them.
std::optional<std::string> why_not_offered(const open_loop_plan& plan, client& all,
                                           open_loop_result& result) {
    constexpr int looks = 5;
    constexpr double fewest_requests = 200;
    const auto requests =
        static_cast<std::uint64_t>(std::max(fewest_requests, result.rate * seconds(plan.look_time)));
    std::optional<std::string> why;
    for (int look = 0; look < looks; ++look) {
        open_loop_result found;
        found.rate = result.rate;
        schedule(plan, requests, all, found).run();
        if (!found.failure.empty()) {
            result.failure = found.failure;
            return std::nullopt;
        }
        if (found.wrong_replies > 0) return std::nullopt;
        why = why_invalid(found);
        if (!why) return std::nullopt;
    }
    return why;
}

void prepare(const open_loop_plan& plan, const conversation& words, const link_maker& make,
             open_loop_result& result) {
    client all = visit(plan, words, make, result);
    if (result.failure = warm_up(plan, all); !result.failure.empty()) return;
    if (plan.rate <= 0) {
        measure_capacity(plan, all, result);
        if (result.failure.empty()) result.failure = settle(plan, all);
        if (!result.failure.empty()) return;
    }
    result.rate = plan.rate > 0 ? plan.rate : result.capacity * plan.load;
    if (plan.look_time.count() > 0) result.not_offered = why_not_offered(plan, all, result);
}

open_loop_result keep_to_schedule(const open_loop_plan& plan, client& all, const open_loop_result& prepared) {
    for (std::uint64_t tries = 1;; ++tries) {
        open_loop_result result = prepared;
        result.tries = tries;
        schedule(plan, plan.requests, all, result).run();
        const bool proved = result.failure.empty() && result.replies == plan.requests;
        // A schedule that is longer than `patience` is not repeated. If the generator was the bottleneck for
        // such a long time, the machine is too slow for client and server. A second run would have the same
        // result.
        const bool is_long = static_cast<double>(plan.requests) / result.rate > seconds(plan.patience);
        if (!proved || is_long || tries == plan.tries_max || !generator_was_the_bottleneck(result))
            return result;
    }
}

}  // namespace

chosen_link link_by_epoll(const open_loop_plan& plan, std::string why) {
    return {make_epoll_link(connect_to(plan.server, plan.connections), {}), std::move(why)};
}

chosen_link cheapest_link(const open_loop_plan& plan) {
    constexpr std::chrono::milliseconds asleep_at_most{100};
    if (plan.http) return {make_epoll_link(connect_to(plan.server, plan.connections), asleep_at_most), ""};
    // This check must come before the connections are opened. The server accepts a fixed number of
    // connections, and it would count those of a link that cannot be made.
    if (auto refused = loop::io_uring_refusal(); !refused.empty())
        return link_by_epoll(plan, std::move(refused));
    return {make_uring_link(connect_to(plan.server, plan.connections)), ""};
}

open_loop_result run_open_loop(const open_loop_plan& plan, const link_maker& make) {
    const conversation words(plan.bytes, plan.http);
    open_loop_result result;
    prepare(plan, words, make, result);
    if (!result.failure.empty() || result.not_offered) return result;
    client all = visit(plan, words, make, result);
    return keep_to_schedule(plan, all, result);
}

}  // namespace loopbench::bench
