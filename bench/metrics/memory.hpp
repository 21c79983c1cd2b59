// How much memory this process holds: for the memory that a connection or a pending timer costs.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace loopbench::bench {

/// Resident bytes of this process now, by /proc/self/statm: whole pages, and user space only (a socket's
/// buffers and its kernel objects are not in it). 0 where /proc cannot be read.
std::int64_t resident_bytes() noexcept;

/// The most that it has been so far, in bytes, by VmHWM of /proc/PID/status; 0 where that cannot be read.
/// (Not getrusage's ru_maxrss, which survives exec: it is at least what the process was that started this
/// one.)
std::int64_t resident_peak_bytes() noexcept;
/// The same of another process.
std::int64_t resident_peak_bytes(pid_t process) noexcept;

}  // namespace loopbench::bench
