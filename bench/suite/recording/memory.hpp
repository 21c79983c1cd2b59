// Reads the memory usage of a process. The difference between two readings is, for example, the memory that a
// connection takes.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace loopbench::bench {

/// Returns the resident bytes of this process now, from /proc/self/statm, or 0 if /proc cannot be read. The
/// result is a whole number of pages in user space. It does not include the buffers and kernel objects of
/// sockets.
std::int64_t resident_bytes() noexcept;

/// Returns the largest resident size of this process so far, in bytes, from VmHWM in /proc/PID/status.
/// Returns 0 if the file cannot be read. (ru_maxrss of getrusage is not suitable, because exec keeps its
/// value: it is at least the size of the process that started this one.)
std::int64_t resident_peak_bytes() noexcept;
/// Returns the largest resident size of another process so far, in bytes, or 0 if /proc cannot be read.
std::int64_t resident_peak_bytes(pid_t process) noexcept;

}  // namespace loopbench::bench
