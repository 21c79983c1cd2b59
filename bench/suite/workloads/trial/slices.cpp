#include "bench/suite/workloads/trial/slices.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <string>

namespace loopbench::bench {

namespace {

constexpr std::string_view ready_line = "ready\n";

/// Writes the line, and ignores errors. The harness detects a missing line, and this process is killed if the
/// harness ends.
void write_line(int fd, std::string_view line) noexcept {
    while (::write(fd, line.data(), line.size()) < 0 && errno == EINTR) {
    }
}

}  // namespace

slice_settings parse_slices(std::string_view text) {
    std::array<int, 4> numbers{};
    const char* here = text.data();
    const char* const end = here + text.size();
    bool good = true;
    for (std::size_t i = 0; i < numbers.size() && good; ++i) {
        if (i > 0) good = here != end && *here++ == ',';
        const auto [after, error] = std::from_chars(here, end, numbers[i]);
        good = good && error == std::errc() && numbers[i] >= 0;
        here = after;
    }
    if (!good || here != end || numbers[3] == 0)
        throw std::invalid_argument(
            fmt::format("LOOPBENCH_SLICES is '{}'; expected IN,OUT,UNTIMED,TIMED: two descriptors and two "
                        "times in microseconds. Only loopbench should set this variable; unset it.",
                        text));
    return {numbers[0], numbers[1], std::chrono::microseconds(numbers[2]),
            std::chrono::microseconds(numbers[3])};
}

void slicer::begin(const slice_steps& steps) noexcept {
    steps_ = steps;
    write_line(settings_.out, ready_line);
    ended_ = !wait_for_slice();
}

std::uint64_t slicer::next(std::uint64_t done, std::uint64_t left_operations) noexcept {
    if (ended_) return 0;
    const auto now = clock::now();
    part_operations_ += done;
    if (done > 0)
        operation_ns_ =
            std::chrono::duration<double, std::nano>(now - chunk_began_).count() / static_cast<double>(done);
    chunk_began_ = now;
    auto left = length() - (now - part_began_);
    if (left <= left.zero() && part_operations_ >= fewest_operations()) {
        if (is_timing_) {
            finish_slice();
            ended_ = !wait_for_slice();
            if (ended_) return 0;
        } else {
            untimed_operations_ = part_operations_;
            untimed_ = now - part_began_;
            begin_part(true);
        }
        left = length();
        chunk_began_ = part_began_;
    }
    const bool must_complete = is_timing_ && part_operations_ > 0;
    if (left_operations == 0 && !must_complete) return 0;
    const std::uint64_t most_left =
        must_complete ? std::numeric_limits<std::uint64_t>::max() : left_operations;
    return std::min(size_of_chunk(done, left), most_left);
}

std::uint64_t slicer::size_of_chunk(std::uint64_t done, std::chrono::nanoseconds left) const noexcept {
    const std::uint64_t step = steps_.operations;
    const std::uint64_t least =
        std::max(step, fewest_operations() - std::min(fewest_operations(), part_operations_));
    if (operation_ns_ <= 0 || left <= left.zero()) return least;
    // The chunk is at most 16 times as large as the previous one, so that a wrong measurement cannot cause a
    // long slice.
    const double most = 16.0 * static_cast<double>(std::max(done, step));
    const auto fit =
        static_cast<std::uint64_t>(std::min(static_cast<double>(left.count()) / operation_ns_, most));
    return std::max((fit + step - 1) / step * step, least);
}

bool slicer::wait_for_slice() noexcept {
    char byte = 'e';
    ssize_t count = 0;
    do count = ::read(settings_.in, &byte, 1);
    while (count < 0 && errno == EINTR);
    const bool is_slice = count == 1 && byte == 't';
    untimed_operations_ = 0;
    untimed_ = untimed_.zero();
    begin_part(is_slice && settings_.untimed == settings_.untimed.zero());
    return is_slice;
}

void slicer::begin_part(bool timed) noexcept {
    is_timing_ = timed;
    part_operations_ = 0;
    meter_.begin();
    chunk_began_ = part_began_ = clock::now();
}

void slicer::finish_slice() noexcept {
    if (slowdown_ > 0) meter_.prolong(slowdown_);
    const usage used = meter_.end();
    cost_ = cost_ + used;
    operations_ += part_operations_;
    std::array<char, 96> line;
    const auto written = fmt::format_to_n(line.data(), line.size(), "{} {} {} {}\n", part_operations_,
                                          used.wall.count(), untimed_operations_, untimed_.count())
                             .size;
    write_line(settings_.out, {line.data(), std::min(written, line.size())});
    is_timing_ = false;
}

}  // namespace loopbench::bench
