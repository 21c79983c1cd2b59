#pragma once

#include <sys/types.h>

#include <cstdint>

namespace loopbench::bench {

/// Reads /proc/self/statm; returns 0 if this fails. The result is a number of bytes, in whole pages. It does
/// not include the buffers and kernel objects of sockets.
std::int64_t resident_bytes() noexcept;

/// Reads VmHWM in /proc/PID/status, in bytes; returns 0 if this fails. (ru_maxrss of getrusage is at least
/// the size of the process that started this one, because exec keeps its value.)
std::int64_t resident_peak_bytes() noexcept;
std::int64_t resident_peak_bytes(pid_t process) noexcept;

}  // namespace loopbench::bench
