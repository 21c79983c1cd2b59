#pragma once

#include <sys/types.h>

#include <cstdint>

namespace loopbench::bench {

/// Returns the resident memory of this process in bytes (/proc/self/statm), or 0 if the file cannot be read.
/// The number is a multiple of the page size. It does not include the buffers and kernel objects of sockets.
std::int64_t resident_bytes() noexcept;

/// Returns the peak of this process's resident memory in bytes (VmHWM in /proc/self/status), or 0 if the file
/// cannot be read. getrusage's ru_maxrss is not used. Because exec keeps its value, it is at least the size
/// of the process that started this one.
std::int64_t resident_peak_bytes() noexcept;
/// Does the same for another process, and returns 0 if that process does not exist.
std::int64_t resident_peak_bytes(pid_t process) noexcept;

}  // namespace loopbench::bench
