// Interleaved measuring: the contender's half. (The suite's half is bench/harness/trial/interleaving.hpp.)
//
// All contenders of a block are alive at the same time. One of them works, for a slice of a millisecond or
// two, while the others sleep in read(2). A disturbance of the machine that lasts longer than a slice
// therefore affects all of them alike.
//
// Protocol, for contenders in any language. The environment variable LOOPBENCH_SLICES is
// "IN,OUT,UNTIMED,TIMED": two descriptors, and two times in microseconds. A calibrated workload has first run
// for about a millisecond in this process, as in the other pairings. At the beginning of its timed section, a
// contender writes the line "ready" to OUT and reads one byte from IN. 't' grants a slice: untimed operations
// for about UNTIMED (another contender has used the caches), then timed ones for about TIMED. The contender
// then writes the line "OPERATIONS NANOSECONDS UNTIMED_OPERATIONS UNTIMED_NANOSECONDS" (the last two are
// optional) and reads the next byte. Each part has whole operations: they began and ended in it. 'e', or the
// end of the file, is the end: the contender leaves the section without reading IN again, even if its number
// of operations is fixed. It prints its result and exits as usual.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "bench/suite/recording/usage.hpp"

namespace loopbench::bench {

struct slice_settings {
    int in = -1, out = -1;  // descriptors
    std::chrono::microseconds untimed{}, timed{};
};

/// Parses the value of LOOPBENCH_SLICES. Throws std::invalid_argument with the variable, its value and the
/// remedy.
slice_settings parse_slices(std::string_view text);

/// Units of work that a slice must not cut: each part of a slice has a multiple of `operations`; the untimed
/// part has at least `untimed` such units, the timed part at least `timed`.
struct slice_steps {
    std::uint64_t operations = 1;
    std::uint64_t untimed = 1, timed = 1;
};

/// The timed section, divided into slices. Used on one thread.
class slicer {
public:
    explicit slicer(const slice_settings& settings, double slowdown) noexcept
        : settings_(settings), slowdown_(slowdown) {}

    /// Same as usage_meter's; must be called before begin().
    void take_cpu_of(pid_t process) { meter_.take_cpu_of(process); }

    /// Waits for the first slice.
    void begin(const slice_steps& steps) noexcept;

    /// Accepts that `done` operations were made since the last call, and returns how many whole steps'
    /// operations to make until the next call. If the slice is over, waits for the next slice first. Returns
    /// 0 if the section must end. `left` is how many operations the trial may still make; a timed part that
    /// has begun is completed even if it needs more.
    std::uint64_t next(std::uint64_t done, std::uint64_t left) noexcept;

    /// Ends the section. An incomplete timed part does not count.
    void end() noexcept { ended_ = true; }

    /// True if the current operations are timed.
    bool is_timing() const noexcept { return is_timing_; }

    /// The cost and the operations of the timed parts of all slices.
    const usage& cost() const noexcept { return cost_; }
    std::uint64_t operations() const noexcept { return operations_; }

private:
    using clock = std::chrono::steady_clock;

    /// Returns how many operations fit into the rest of a part, in whole steps; `done` ended before.
    std::uint64_t size_of_chunk(std::uint64_t done, std::chrono::nanoseconds left) const noexcept;
    bool wait_for_slice() noexcept;
    void begin_part(bool timed) noexcept;
    void finish_slice() noexcept;

    /// Returns the intended length of the current part.
    std::chrono::nanoseconds length() const noexcept {
        return is_timing_ ? settings_.timed : settings_.untimed;
    }
    std::uint64_t fewest_operations() const noexcept {
        return steps_.operations * (is_timing_ ? steps_.timed : steps_.untimed);
    }

    slice_settings settings_;
    slice_steps steps_;
    double slowdown_;
    bool is_timing_ = false;
    bool ended_ = false;              // 'e' was received
    clock::time_point part_began_{};  // the timed or untimed part of a slice
    clock::time_point chunk_began_{};
    std::uint64_t part_operations_ = 0;
    std::uint64_t untimed_operations_ = 0;  // of the current slice, and how long they took
    std::chrono::nanoseconds untimed_{};
    double operation_ns_ = 0;  // of the last chunk; 0: unknown
    usage_meter meter_;
    usage cost_;
    std::uint64_t operations_ = 0;
};

}  // namespace loopbench::bench
