// The memory of this process. Differences show the memory that a connection or a pending timer takes.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace loopbench::bench {

/// Returns the resident bytes of this process now, from /proc/self/statm. They are whole pages of user space;
/// a socket's buffers and its kernel objects are not included. Returns 0 if /proc cannot be read.
std::int64_t resident_bytes() noexcept;

/// Returns the largest resident size of this process so far, in bytes, from VmHWM in /proc/PID/status.
/// Returns 0 if the file cannot be read. (ru_maxrss of getrusage is not suitable, because it survives exec:
/// it is at least the size of the process that started this one.)
std::int64_t resident_peak_bytes() noexcept;
/// Returns the largest resident size of another process so far.
std::int64_t resident_peak_bytes(pid_t process) noexcept;

}  // namespace loopbench::bench
