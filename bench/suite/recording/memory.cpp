#include "bench/suite/recording/memory.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>

namespace loopbench::bench {

std::int64_t resident_bytes() noexcept {
    std::FILE* const file = std::fopen("/proc/self/statm", "re");
    if (file == nullptr) return 0;
    long pages_total = 0;
    long pages_resident = 0;
    const int read = std::fscanf(file, "%ld %ld", &pages_total, &pages_resident);
    std::fclose(file);
    return read == 2 ? std::int64_t{pages_resident} * ::sysconf(_SC_PAGESIZE) : 0;
}

std::int64_t resident_peak_bytes() noexcept {
    return resident_peak_bytes(::getpid());
}

std::int64_t resident_peak_bytes(pid_t process) noexcept {
    std::array<char, 32> path;
    std::snprintf(path.data(), path.size(), "/proc/%d/status", process);
    std::FILE* const file = std::fopen(path.data(), "re");
    if (file == nullptr) return 0;
    std::array<char, 256> line;
    long kib = 0;
    while (std::fgets(line.data(), line.size(), file) != nullptr)
        if (std::sscanf(line.data(), "VmHWM: %ld kB", &kib) == 1) break;
    std::fclose(file);
    return std::int64_t{kib} * 1024;
}

}  // namespace loopbench::bench
