// Taking turns: the contender's half. (The suite's half is bench/trial/turns.hpp.)
//
// The contenders of a block are alive together, and one of them works at a time, for a millisecond or two,
// while the others sleep in read(2). So what disturbs the machine for longer than that disturbs all of them
// alike.
//
// Protocol, for contenders in any language. The environment variable LOOPBENCH_TURNS is
// "IN,OUT,UNTIMED,TIMED": two descriptors, and two times in microseconds. A workload that is calibrated has
// run for about a millisecond before in the process, as it has without turns. At the beginning of its timed
// section a contender writes the line "ready" to OUT and reads one byte from IN. 't' is a turn: operations
// that are not timed for about UNTIMED (another contender has used the caches), then such that are for about
// TIMED; then it writes the line "OPERATIONS NANOSECONDS UNTIMED_OPERATIONS UNTIMED_NANOSECONDS" (the last two
// may be left out) and reads the next byte. Each part has whole operations: they began and ended in it. 'e', or
// the end of the file, is the end: the contender leaves the section without reading IN again, also where a
// number of operations is fixed. It prints its result and exits as always.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "bench/metrics/usage.hpp"

namespace loopbench::bench {

struct turn_settings {
    int in = -1, out = -1;  // descriptors
    std::chrono::microseconds untimed{}, timed{};
};

/// Of the value of LOOPBENCH_TURNS. Throws std::invalid_argument that names the variable, its value and the
/// remedy.
turn_settings parse_turns(std::string_view text);

/// Work that is not cut: a part of a turn has a multiple of `operations`, the untimed part at least `untimed`
/// times as many, and the timed one `timed` times.
struct turn_steps {
    std::uint64_t operations = 1;
    std::uint64_t untimed = 1, timed = 1;
};

/// The timed section, in turns. Used on one thread.
class turn_taker {
public:
    explicit turn_taker(const turn_settings& settings, double slowdown) noexcept
        : settings_(settings), slowdown_(slowdown) {}

    /// As usage_meter's; before begin().
    void take_cpu_of(pid_t process) { meter_.take_cpu_of(process); }

    /// Waits for the first turn.
    void begin(const turn_steps& steps) noexcept;

    /// `done` operations were made since the last call. Gives back how many are to be made until the next
    /// one, whole steps, and waits for the next turn before that when this one is over. 0: the section is to
    /// end.
    std::uint64_t next(std::uint64_t done) noexcept;

    /// Ends the section. A timed part that is not complete does not count.
    void end() noexcept { ended_ = true; }

    /// Whether what is done now is timed.
    bool is_timing() const noexcept { return is_timing_; }

    /// Of the timed parts of all turns.
    const usage& cost() const noexcept { return cost_; }
    std::uint64_t operations() const noexcept { return operations_; }

private:
    using clock = std::chrono::steady_clock;

    bool wait_for_turn() noexcept;
    void begin_part(bool timed) noexcept;
    void finish_turn() noexcept;

    /// Of the part that is under way.
    std::chrono::nanoseconds length() const noexcept {
        return is_timing_ ? settings_.timed : settings_.untimed;
    }
    std::uint64_t fewest_operations() const noexcept {
        return steps_.operations * (is_timing_ ? steps_.timed : steps_.untimed);
    }

    turn_settings settings_;
    turn_steps steps_;
    double slowdown_;
    bool is_timing_ = false;
    bool ended_ = false;              // 'e' has come
    clock::time_point part_began_{};  // the timed or untimed part of a turn
    clock::time_point chunk_began_{};
    std::uint64_t part_operations_ = 0;
    std::uint64_t untimed_operations_ = 0;  // of the turn that is under way, and how long they took
    std::chrono::nanoseconds untimed_{};
    double operation_ns_ = 0;  // of the last chunk; 0: not known yet
    usage_meter meter_;
    usage cost_;
    std::uint64_t operations_ = 0;
};

}  // namespace loopbench::bench
