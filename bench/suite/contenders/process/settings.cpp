#include "bench/suite/contenders/process/settings.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace loopbench::bench {

namespace {

std::string_view variable(const char* name) {
    const char* const text = std::getenv(name);
    return text == nullptr ? std::string_view() : text;
}

workload_size read_size() {
    const std::string_view text = variable("LOOPBENCH_SIZE");
    if (text.empty() || text == "full") return workload_size::full;
    if (text == "small") return workload_size::small;
    throw std::invalid_argument(
        fmt::format("LOOPBENCH_SIZE is \"{}\": set it to small or full, or unset it.", text));
}

bool read_recording() {
    const std::string_view text = variable("LOOPBENCH_RECORD");
    if (text.empty() || text == "on") return true;
    if (text == "off") return false;
    throw std::invalid_argument(
        fmt::format("LOOPBENCH_RECORD is \"{}\": set it to on or off, or unset it.", text));
}

std::optional<std::uint64_t> read_operations() {
    constexpr std::uint64_t most = 1'000'000'000'000;
    const std::string_view text = variable("LOOPBENCH_OPERATIONS");
    if (text.empty()) return std::nullopt;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number == 0 || number > most)
        throw std::invalid_argument(fmt::format(
            "LOOPBENCH_OPERATIONS is \"{}\": set it to a number of operations from 1 to {}, or unset it.",
            text, most));
    return number;
}

double read_slowdown() {
    const std::string_view text = variable("LOOPBENCH_SLOWDOWN");
    if (text.empty()) return 0;
    double share = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
    if (error != std::errc() || end != text.data() + text.size() || !(share >= 0 && share <= 1))
        throw std::invalid_argument(fmt::format(
            "LOOPBENCH_SLOWDOWN is \"{}\": set it to a share of the time from 0 to 1, or unset it.", text));
    return share;
}

std::optional<slice_settings> read_slices() {
    const std::string_view text = variable("LOOPBENCH_SLICES");
    if (text.empty()) return std::nullopt;
    return parse_slices(text);
}

}  // namespace

contender_settings settings_from_environment() {
    return {.size = read_size(),
            .operations = read_operations(),
            .recording = read_recording(),
            .slowdown = read_slowdown(),
            .slices = read_slices(),
            .histogram_file = std::string(variable("LOOPBENCH_HISTOGRAM_FILE"))};
}

}  // namespace loopbench::bench
