#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace loopbench::simulation {

using nanoseconds = std::chrono::nanoseconds;

enum class defect : std::uint8_t {
    none,
    lost_event,
    lost_wakeup,
    lost_timer,
    early_clock,  // the loop's clock is ahead of the kernel's time
    stopped_clock,
    lost_byte,
    swapped_bytes,
    lost_end,
    miscounted_send,  // the kernel takes one byte less than it reports
    dropped_cancellation,
    dropped_post,
    swapped_posts,
};

/// A source of random decisions, which depend only on the seed and on the order of the calls.
class chance {
public:
    explicit chance(std::uint64_t seed) : random_(seed) {}

    /// Returns a number below `limit`, which must not be 0.
    std::uint64_t below(std::uint64_t limit) noexcept { return random_() % limit; }
    bool one_in(std::uint64_t times) noexcept { return below(times) == 0; }
    /// Returns a random number below 2^0, 2^1, … or 2^bits_max. Each of these limits is equally probable.
    std::uint64_t any_magnitude(unsigned bits_max) noexcept {
        return below(std::uint64_t{1} << below(bits_max + 1));
    }
    nanoseconds time_of_any_magnitude(unsigned bits_max) noexcept {
        return nanoseconds(static_cast<std::int64_t>(any_magnitude(bits_max)));
    }

private:
    std::mt19937_64 random_;
};

/// A record of all events. Two runs with the same seed have the same record. The text is recorded only if the
/// constructor receives a string for it; the digest is always computed.
class trace {
public:
    explicit trace(std::string* text) noexcept : text_(text) {}

    void note(nanoseconds when, std::string_view what, std::int64_t a = 0, std::int64_t b = 0,
              std::int64_t result = 0) {
        mix(static_cast<std::uint64_t>(when.count()));
        for (const char letter : what) mix(static_cast<unsigned char>(letter));
        mix(static_cast<std::uint64_t>(a));
        mix(static_cast<std::uint64_t>(b));
        mix(static_cast<std::uint64_t>(result));
        if (text_ != nullptr)
            fmt::format_to(std::back_inserter(*text_), "{} {} {} {} = {}\n", when.count(), what, a, b,
                           result);
    }

    std::uint64_t digest() const noexcept { return digest_; }

private:
    void mix(std::uint64_t value) noexcept {
        digest_ = (digest_ ^ value) * 0x9E37'79B9'7F4A'7C15;
        digest_ ^= digest_ >> 29;
    }

    std::string* text_;
    std::uint64_t digest_ = 0;
};

/// Prints the error and the command that repeats the run, and ends the program.
[[noreturn]] void fail(const std::string& what);

}  // namespace loopbench::simulation
