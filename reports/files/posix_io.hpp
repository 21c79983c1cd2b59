// Files, as far as reports, journals and child processes need them: an owned descriptor, the one place that
// handles EINTR, and writes whose errors cannot be overlooked.
#pragma once

#include <cerrno>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace loopbench::reports {

/// An operation on a file failed; what() names the file, the cause and the remedy.
class file_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;

    /// `action` is a verb phrase ("write", "create the folder"; one of reading begins with "read"), `error`
    /// an errno value.
    file_error(std::string_view action, std::string_view name, int error);
};

/// Calls a system call again while a signal interrupted it.
template <class system_call>
auto uninterrupted(system_call&& call) {
    for (;;) {
        const auto outcome = call();
        if (outcome != -1 || errno != EINTR) return outcome;
    }
}

/// Owns one file descriptor; -1 is none.
class unique_fd {
public:
    unique_fd() = default;
    explicit unique_fd(int fd) : fd_{fd} {}
    unique_fd(unique_fd&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
    unique_fd& operator=(unique_fd&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    ~unique_fd() { reset(); }

    [[nodiscard]] int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

    /// Closes; 0 or the errno value. A file's last write error may only show here.
    int reset() noexcept;

private:
    int fd_ = -1;
};

/// Writes all of `bytes`; throws file_error naming `name`.
void write_all(int fd, std::string_view bytes, std::string_view name);

/// Writes all of `bytes` to standard output; throws file_error.
void write_standard_output(std::string_view bytes);

/// What read_file() takes into memory at the most, unless it is told otherwise: ten times the largest report
/// that the suite's own limits allow, and still little enough for its parsed form to fit into an ordinary
/// machine.
inline constexpr std::size_t file_bytes_max = std::size_t{256} << 20U;

/// Opens a regular file, or what links to one. Throws file_error, at once for anything else: to open a pipe
/// may take as long as nobody opens its other end.
unique_fd open_regular_file(const std::string& path, int flags, std::string_view action);

/// What a string has room for behind a file's content: simdjson reads ahead, and would have it copied else.
inline constexpr std::size_t room_behind = 64;

/// The whole content of a regular file. Throws file_error, also for one of more than `bytes_max` bytes.
std::string read_file(const std::string& path, std::size_t bytes_max = file_bytes_max);

/// The same of a file, a pipe or a device that somebody named. One that never ends is given up at that size;
/// a pipe that nobody writes into is not waited for.
std::string read_file_or_pipe(const std::string& path, std::size_t bytes_max = file_bytes_max);

/// The same of a file that somebody else may have put there: none when there is none, and file_error for what
/// is no regular file. A pipe is not waited for, and no link followed.
std::optional<std::string> read_regular_file(const std::string& path, std::size_t bytes_max = file_bytes_max);

}  // namespace loopbench::reports
