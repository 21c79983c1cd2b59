// The options of an io_context in the environment variable LOOPBENCH_ASIO_OPTIONS. The contenders asio-tuned
// and asio-uring prefer these options to their own, so that an option can be measured without another build.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace loopbench::asio_ref {

inline constexpr const char* options_variable = "LOOPBENCH_ASIO_OPTIONS";

struct known_option {
    std::string_view name;
    int since;  // the first BOOST_VERSION that was seen to have the option
};

/// The options of Asio on Linux. docs/asio-programs.md explains them. Asio ignores other names silently.
inline constexpr auto known_options = std::to_array<known_option>({
    {"scheduler.concurrency_hint", 108700},
    {"scheduler.locking", 108700},
    {"scheduler.locking_spin_count", 108700},
    {"scheduler.task_usec", 108700},
    {"scheduler.wait_usec", 108700},
    {"scheduler.assume_continuation", 109200},
    {"reactor.registration_locking", 108700},
    {"reactor.registration_locking_spin_count", 108700},
    {"reactor.io_locking", 108700},
    {"reactor.io_locking_spin_count", 108700},
    {"reactor.preallocated_io_objects", 108700},
    {"reactor.reset_edge_on_partial_read", 109000},
    {"reactor.use_eventfd", 109000},
    {"reactor.use_timerfd", 109000},
    {"reactor.io_uring_ring_count", 109200},
    {"reactor.io_uring_ring_size", 109200},
    {"reactor.io_uring_submit_batch_size", 109200},
    {"reactor.io_uring_iowait", 109200},
    {"timer.heap_reserve", 109000},
    {"resolver.threads", 109000},
});

/// Throws std::invalid_argument with the problem and the remedy if `option` is not an option of this Boost
/// with a number as its value.
inline void require_option(std::string_view option, int boost_version) {
    const auto refuse = [&](const std::string& why) {
        throw std::invalid_argument(std::string(options_variable) + " contains \"" + std::string(option) +
                                    "\", " + why);
    };
    const auto equals = option.find('=');
    const auto name = option.substr(0, equals);
    const auto* const known = std::ranges::find(known_options, name, &known_option::name);
    if (known == known_options.end())
        refuse("which is not an option of Asio; docs/asio-programs.md lists the options");
    if (boost_version < known->since)
        refuse("which Boost has only since version " + std::to_string(known->since / 100'000) + "." +
               std::to_string(known->since / 100 % 1000) + "; use a contender of that version");
    const auto value = equals == std::string_view::npos ? std::string_view() : option.substr(equals + 1);
    const auto digits = value.starts_with('-') ? value.substr(1) : value;
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
        refuse("which has no number as its value; write for example " + std::string(name) + "=1");
}

/// Returns the text in LOOPBENCH_ASIO_OPTIONS, for example "timer.heap_reserve=1000,scheduler.locking=0".
/// Throws std::invalid_argument if the Boost with this BOOST_VERSION does not have one of the options.
inline std::string options_in_environment(int boost_version) {
    const char* const found = std::getenv(options_variable);
    std::string text = found == nullptr ? "" : found;
    for (std::string_view rest = text; !rest.empty();) {
        const auto comma = std::min(rest.find(','), rest.size());
        require_option(rest.substr(0, comma), boost_version);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return text;
}

/// Returns the options in the form that Asio reads: one per line.
inline std::string lines_of_options(std::string text) {
    if (text.empty()) return text;
    std::ranges::replace(text, ',', '\n');
    return text + '\n';
}

}  // namespace loopbench::asio_ref
