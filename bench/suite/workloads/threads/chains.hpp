// Chains of functions in several threads: each function posts the next function of its chain.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bench/suite/threads_runtime.hpp"
#include "bench/suite/workloads/threads/records.hpp"

namespace loopbench::bench::workloads::detail {

/// The number of functions of each chain before the timed section. They are not timed, because new threads
/// use memory that is not in the caches of their cores, and their allocator's memory grows.
inline constexpr std::uint64_t warm_up_functions = 200;

struct alignas(bytes_apart) chain_state {
    std::size_t number;
    std::size_t home;
    std::uint64_t left = 0;  // functions until the end of the current section
    trial::time_point posted{};
};

/// A counter that functions increment without a lock, because they must never run at the same time. If they
/// do, increments get lost.
struct alignas(bytes_apart) unlocked_count {
    std::uint64_t value = 0;
};

/// A trial of chains. `Link` states how a chain continues:
/// - post(all, chain): arranges that all.step(chain) is called once, later. It is called at the home of the
///   chain, or by the chain's previous function.
/// - has_latencies: true if the time from post() to step() is recorded.
/// - unit(all, chain): returns the number of the unit (of `units`) whose functions must be serial, or nothing
///   if the runtime does not promise it.
/// - start_background(all): starts further work, and returns the number of calls of all.background_ended()
///   that will follow when all.is_over() is true.
template <ThreadedRuntime R, class Link>
class chain_trial {
public:
    chain_trial(R& loops, trial& t, std::size_t count, std::size_t units, Link link_of_chains)
        : runtime(loops),
          records(t, loops.threads(), count),
          link(std::move(link_of_chains)),
          chains_(count),
          serial_(units) {
        for (std::size_t i = 0; i < count; ++i) {
            chains_[i].number = i;
            chains_[i].home = i % runtime.homes();
        }
    }

    void run() {
        runtime.post(0, [this] {
            background_.store(link.start_background(*this), std::memory_order_relaxed);
            start_section(warm_up_functions * chains_.size());
        });
        runtime.run();
        prove();
        records.report();
    }

    void step(chain_state& stepped) {
        unlocked_count* const unit = unit_of(stepped);
        const std::uint64_t before = unit != nullptr ? unit->value : 0;
        records.operations[this_thread_index()].add();
        records.units[stepped.number].add();
        if constexpr (Link::has_latencies) records.record_latency(stepped.posted);
        if (--stepped.left > 0) {
            post_next(stepped);
        } else {
            chain_ended();
        }
        // The counter is written after the next function was posted, so that the two would overlap if the
        // runtime did not keep its promise.
        if (unit != nullptr) unit->value = before + 1;
    }

    bool is_over() const noexcept { return is_over_.load(std::memory_order_acquire); }
    void background_ended() {
        if (background_.fetch_sub(1, std::memory_order_acq_rel) == 1) runtime.finish();
    }

    R& runtime;
    thread_records records;
    Link link;

private:
    unlocked_count* unit_of(const chain_state& stepped) {
        const std::optional<std::size_t> unit = link.unit(*this, stepped);
        return unit ? &serial_[*unit] : nullptr;
    }

    void post_next(chain_state& next) {
        if constexpr (Link::has_latencies) next.posted = records.t.start_of_latency();
        link.post(*this, next);
    }

    void start_section(std::uint64_t functions) {
        const std::uint64_t count = chains_.size();
        running_.store(std::min(functions, count), std::memory_order_relaxed);
        for (std::uint64_t i = 0; i < std::min(functions, count); ++i) {
            chain_state& started = chains_[i];
            started.left = functions / count + (i < functions % count ? 1 : 0);
            runtime.post(started.home, [this, &started] { post_next(started); });
        }
    }

    void chain_ended() {
        if (records.is_timed()) records.keep_shares();
        if (running_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        if (!records.is_timed()) {
            records.begin();
            start_section(records.t.operations());
        } else {
            records.end();
            is_over_.store(true, std::memory_order_release);
            if (background_.load(std::memory_order_relaxed) == 0) runtime.finish();
        }
    }

    void prove() {
        trial& t = records.t;
        t.prove("number of functions that ran", t.operations(), records.operations.sum());
        t.prove("number of functions of all chains", t.operations(), records.units.sum());
        if (!unit_of(chains_.front())) return;
        std::uint64_t counted = 0;
        for (const unlocked_count& each : serial_) counted += each.value;
        t.prove("number of functions that were counted without a lock",
                warm_up_functions * chains_.size() + t.operations(), counted);
    }

    std::vector<chain_state> chains_;
    std::vector<unlocked_count> serial_;
    std::atomic<std::uint64_t> running_{0};
    std::atomic<std::size_t> background_{0};
    std::atomic<bool> is_over_{false};
};

struct no_background {
    template <class All>
    static std::size_t start_background(All&) {
        return 0;
    }
};

/// Links whose functions run at the home of the chain.
template <ThreadedRuntime R>
struct home_link : no_background {
    template <class All>
    static std::optional<std::size_t> unit(const All&, const chain_state& of) {
        if constexpr (R::homes_are == home_kind::any_thread) return std::nullopt;
        return of.home;
    }
};

template <ThreadedRuntime R>
struct stays : home_link<R> {
    static constexpr bool has_latencies = false;

    template <class All>
    static void post(All& all, chain_state& next) {
        all.runtime.post(next.home, [&all, &next] { all.step(next); });
    }
};

template <ThreadedRuntime R, bool HasLatencies>
struct moves : home_link<R> {
    static constexpr bool has_latencies = HasLatencies;

    template <class All>
    static void post(All& all, chain_state& next) {
        next.home = (next.home + 1) % all.runtime.homes();
        all.runtime.post(next.home, [&all, &next] { all.step(next); });
    }
};

template <ThreadedRuntime R>
struct strands_link {
    using strand = decltype(std::declval<R&>().make_strand(0));

    strands_link(R& runtime, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) strands.push_back(runtime.make_strand(i));
    }

    std::vector<strand> strands;
};

/// Two chains in each strand. With one, the strand would never have two functions that it must separate.
template <ThreadedRuntime R>
struct in_strands : strands_link<R>, no_background {
    static constexpr bool has_latencies = false;

    using strands_link<R>::strands_link;

    template <class All>
    std::optional<std::size_t> unit(const All&, const chain_state& of) const {
        return of.number % this->strands.size();
    }
    template <class All>
    void post(All& all, chain_state& next) {
        this->strands[next.number % this->strands.size()].post([&all, &next] { all.step(next); });
    }
};

/// One chain in each strand except the first, which is busy with chains of its own.
template <ThreadedRuntime R>
struct beside_a_busy_strand : strands_link<R> {
    static constexpr bool has_latencies = true;
    static constexpr std::size_t busy_chains = 8;
    static constexpr std::chrono::microseconds busy_time{20};

    using strands_link<R>::strands_link;

    template <class All>
    std::optional<std::size_t> unit(const All&, const chain_state& of) const {
        return of.number + 1;
    }
    template <class All>
    void post(All& all, chain_state& next) {
        this->strands[next.number + 1].post([&all, &next] { all.step(next); });
    }
    template <class All>
    std::size_t start_background(All& all) {
        for (std::size_t i = 0; i < busy_chains; ++i) keep_busy(all);
        return busy_chains;
    }

private:
    template <class All>
    void keep_busy(All& all) {
        this->strands[0].post([this, &all] {
            const auto until = std::chrono::steady_clock::now() + busy_time;
            while (std::chrono::steady_clock::now() < until) continue;
            if (all.is_over()) return all.background_ended();
            keep_busy(all);
        });
    }
};

/// Each function arms a far timer at its home, and the next home cancels it.
template <ThreadedTimers R>
struct cancels_elsewhere : home_link<R> {
    static constexpr bool has_latencies = false;

    explicit cancels_elsewhere(std::atomic<std::uint64_t>& far_timers_that_fired)
        : fired(&far_timers_that_fired) {}

    template <class All>
    void post(All& all, chain_state& next) {
        const time_point far = std::chrono::steady_clock::now() + std::chrono::hours(1);
        auto armed = all.runtime.arm(next.home, far, [to = fired] { ++*to; });
        all.runtime.post((next.home + 1) % all.runtime.homes(),
                         [&all, &next, armed = std::move(armed)]() mutable {
                             all.runtime.cancel(std::move(armed), [&all, &next] { all.step(next); });
                         });
    }

    std::atomic<std::uint64_t>* fired;
};

}  // namespace loopbench::bench::workloads::detail
