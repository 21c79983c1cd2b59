// The contender's side of interleaved trials. (bench/harness/trial/interleaving.hpp is the harness's side.)
//
// The processes of all contenders of a block exist at the same time. One contender works for a slice of one
// or two milliseconds, while the others sleep in read(2). A disturbance of the machine that lasts longer than
// a slice therefore affects all contenders alike.
//
// The following protocol is for contenders in any language. The environment variable LOOPBENCH_SLICES is
// "IN,OUT,UNTIMED,TIMED": two descriptors, and two times in microseconds. Before its timed section, a
// calibrated workload must have run for about a millisecond in this process, as it has in the other pairings.
//
// - At the beginning of its timed section, the contender writes the line "ready" to OUT and reads one byte
//   from IN.
// - The byte 't' grants a slice. The contender makes untimed operations for about UNTIMED, because another
//   contender has used the caches. It then makes timed operations for about TIMED. Each operation begins and
//   ends in the same part of the slice.
// - The contender then writes the line "OPERATIONS NANOSECONDS UNTIMED_OPERATIONS UNTIMED_NANOSECONDS", and
//   reads the next byte. The last two numbers of the line are optional.
// - The byte 'e', or the end of the file, ends the timed section, even if the contender has a fixed number of
//   operations. The contender does not read IN again, prints its result and exits as usual.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "bench/suite/recording/usage.hpp"

namespace loopbench::bench {

struct slice_settings {
    int in = -1, out = -1;
    std::chrono::microseconds untimed{}, timed{};
};

/// Returns the settings that LOOPBENCH_SLICES contains. Throws std::invalid_argument with the variable, its
/// value and the remedy.
slice_settings parse_slices(std::string_view text);

/// The units of work that a slice must not divide. Each unit has `operations` operations. The untimed part
/// has at least `untimed` units, and the timed part has at least `timed` units.
struct slice_steps {
    std::uint64_t operations = 1;
    std::uint64_t untimed = 1, timed = 1;
};

/// The contender's side of the protocol above. Only one thread at a time can use a slicer.
class slicer {
public:
    explicit slicer(const slice_settings& settings, double slowdown) noexcept
        : settings_(settings), slowdown_(slowdown) {}

    /// Reads the CPU time of another process (see usage_meter::take_cpu_of()). This function must be called
    /// before begin().
    void take_cpu_of(pid_t process) { meter_.take_cpu_of(process); }

    void begin(const slice_steps& steps) noexcept;

    /// Registers that `done` operations were made since the last call. Returns the number of operations to
    /// make until the next call, in whole units, or 0 if the section must end. Can wait for the next slice. A
    /// timed part that has begun is completed, even if it needs more operations than `left`.
    std::uint64_t next(std::uint64_t done, std::uint64_t left) noexcept;

    void end() noexcept { ended_ = true; }

    bool is_timing() const noexcept { return is_timing_; }

    /// Returns the cost of the timed parts of all slices. operations() returns the number of operations in
    /// these parts.
    const usage& cost() const noexcept { return cost_; }
    std::uint64_t operations() const noexcept { return operations_; }

private:
    using clock = std::chrono::steady_clock;

    std::uint64_t size_of_chunk(std::uint64_t done, std::chrono::nanoseconds left) const noexcept;
    bool wait_for_slice() noexcept;
    void begin_part(bool timed) noexcept;
    void finish_slice() noexcept;

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
    bool ended_ = false;
    clock::time_point part_began_{};
    clock::time_point chunk_began_{};
    std::uint64_t part_operations_ = 0;
    std::uint64_t untimed_operations_ = 0;  // in the current slice
    std::chrono::nanoseconds untimed_{};
    double operation_ns_ = 0;  // time of an operation in the last chunk; 0 if unknown
    usage_meter meter_;
    usage cost_;
    std::uint64_t operations_ = 0;
};

}  // namespace loopbench::bench
