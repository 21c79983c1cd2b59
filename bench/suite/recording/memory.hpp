// The memory of this process: for the memory that a connection or a pending timer costs.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace loopbench::bench {

/// Returns the resident bytes of this process now, from /proc/self/statm: whole pages of user space (a
/// socket's buffers and its kernel objects are not included). Returns 0 if /proc cannot be read.
std::int64_t resident_bytes() noexcept;

/// Returns the largest resident size so far, in bytes, from VmHWM in /proc/PID/status; 0 if that cannot be
/// read. (Not getrusage's ru_maxrss, which survives exec: it is at least the size of the process that started
/// this one.)
std::int64_t resident_peak_bytes() noexcept;
/// Returns the same for another process.
std::int64_t resident_peak_bytes(pid_t process) noexcept;

}  // namespace loopbench::bench
