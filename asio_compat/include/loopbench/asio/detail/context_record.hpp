// Records on which loop a program's contexts run, for the program that measures it. Without the record, a
// program whose swap had no effect would be measured as if it were on the loop: for example a program that is
// compiled with dropin.hpp, but uses the io_context of a library that is not.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace loopbench::asio::detail {

/// Appends a line to the file that the environment variable LOOPBENCH_ASIO_CONTEXTS names: the loop (a value
/// of LOOPBENCH_ASIO), the process ID and, if the loop could not be created, the reason. Writes the line with
/// one call, because several processes can share the file. Does nothing if the variable is unset, or in a
/// set-user-ID program, whose caller must not choose a file for it. Ignores errors, because the program does
/// not need the record.
inline void record_context(const char* loop, const char* reason = "") noexcept {
    const char* const file = ::secure_getenv("LOOPBENCH_ASIO_CONTEXTS");
    if (file == nullptr || *file == '\0') return;
    std::array<char, 1024> line{};
    const int wanted = std::snprintf(line.data(), line.size() - 1, "%s %ld%s%s", loop,
                                     static_cast<long>(::getpid()), *reason == '\0' ? "" : " ", reason);
    if (wanted < 0) return;
    const auto bytes = std::min(static_cast<std::size_t>(wanted), line.size() - 2);
    std::replace(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(bytes), '\n', ' ');
    line[bytes] = '\n';
    const int fd = ::open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0) return;
    [[maybe_unused]] const auto written = ::write(fd, line.data(), bytes + 1);
    ::close(fd);
}

}  // namespace loopbench::asio::detail
