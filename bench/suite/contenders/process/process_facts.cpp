#include "bench/suite/contenders/process/process_facts.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <sys/prctl.h>
#include <time.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace loopbench::bench {

namespace {

std::string file_of(const void* place) {
    Dl_info found{};
    if (place == nullptr || ::dladdr(place, &found) == 0 || found.dli_fname == nullptr) return {};
    const std::string_view path = found.dli_fname;
    return std::string(path.substr(path.rfind('/') + 1));
}

std::string provider_of(const char* symbol) {
    return file_of(::dlsym(RTLD_DEFAULT, symbol));
}

/// Returns the name of the file that provides malloc. The file is found by the address of malloc, because
/// dlsym would ignore which version of the symbol the linker has chosen. If the address is in the program
/// itself, it can be the address of a stub, so dlsym is used in this case.
std::string provider_of_malloc() {
    const std::string bound = file_of(reinterpret_cast<const void*>(&std::malloc));
    return bound == file_of(reinterpret_cast<const void*>(&provider_of)) ? provider_of("malloc") : bound;
}

}  // namespace

std::string allocator_in_use() {
    const std::string malloc_from = provider_of_malloc();
    std::string text = malloc_from.starts_with("libc.so")
                           ? fmt::format("glibc {} malloc", ::gnu_get_libc_version())
                           : fmt::format("malloc from {}", malloc_from);
    const std::string new_from = provider_of("_Znwm");  // operator new(unsigned long), Itanium C++ ABI
    const bool usual =
        new_from.empty() || new_from.starts_with("libstdc++") || new_from.starts_with("libc++");
    if (!usual && new_from != malloc_from) text += fmt::format(", operator new from {}", new_from);
    return text;
}

std::string sanitizers_in_use() {
    struct sanitizer {
        const char* symbol;
        std::string_view name;
    };
    constexpr std::array known{sanitizer{"__asan_init", "address"}, sanitizer{"__tsan_init", "thread"},
                               sanitizer{"__msan_init", "memory"},
                               sanitizer{"__ubsan_handle_add_overflow", "undefined"}};
    std::vector<std::string_view> found;
    for (const sanitizer& each : known)
        if (::dlsym(RTLD_DEFAULT, each.symbol) != nullptr) found.push_back(each.name);
    return found.empty() ? "off" : fmt::format("{}", fmt::join(found, ", "));
}

std::string clock_in_use() {
    const auto read = [] {
        timespec time{};
        ::clock_gettime(CLOCK_MONOTONIC, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    };
    const auto before = read();
    const std::chrono::nanoseconds steady = std::chrono::steady_clock::now().time_since_epoch();
    if (steady < before || steady > read()) return "not CLOCK_MONOTONIC";
    timespec resolution{};
    ::clock_getres(CLOCK_MONOTONIC, &resolution);
    return fmt::format("CLOCK_MONOTONIC, {} ns", resolution.tv_nsec);
}

std::string timer_slack_in_use() {
    return std::to_string(::prctl(PR_GET_TIMERSLACK));
}

}  // namespace loopbench::bench
