#pragma once

#include <cerrno>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace loopbench::reports {

/// An error of a file operation. what() contains the file's name, the cause and the remedy.
class file_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;

    /// Creates the error of a failed operation on the file `name`. `action` is a verb phrase like "write" or
    /// "create the folder". It must begin with "read" if the operation reads, because the remedies for
    /// reading differ from those for writing. `error` is an errno value.
    file_error(std::string_view action, std::string_view name, int error);
};

/// Repeats a system call that fails with EINTR.
template <class system_call>
auto uninterrupted(system_call&& call) {
    for (;;) {
        const auto outcome = call();
        if (outcome != -1 || errno != EINTR) return outcome;
    }
}

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

    /// Closes the descriptor. Returns 0 or the errno value of close(), which can be the first call that
    /// reports an error of an earlier write.
    int reset() noexcept;

private:
    int fd_ = -1;
};

/// Writes all bytes. Throws file_error with `name` as the file's name.
void write_all(int fd, std::string_view bytes, std::string_view name);

/// Writes the bytes to standard output. Throws file_error.
void write_standard_output(std::string_view bytes);

/// The default limit of the functions that read files: ten times the largest report that the suite's own
/// limits allow. The parsed form of a file of this size fits into the memory of an ordinary machine.
inline constexpr std::size_t file_bytes_max = std::size_t{256} << 20U;

/// Opens a regular file, or a link to one. Throws file_error if that fails, or if `path` is another kind of
/// file. Does not wait, unlike open(), which waits until another process opens the other end of a pipe.
unique_fd open_regular_file(const std::string& path, int flags, std::string_view action);

/// The number of spare bytes that the functions below reserve after a file's content. simdjson reads beyond
/// the end of a text, and would copy a text without spare bytes.
inline constexpr std::size_t room_behind = 64;

/// Reads a regular file. Throws file_error if that fails, or if the file has more than `bytes_max` bytes.
std::string read_file(const std::string& path, std::size_t bytes_max = file_bytes_max);

/// Reads a file, pipe or device that the user named. Throws file_error if that fails, or if there are more
/// than `bytes_max` bytes. Does not wait for a pipe without a writer.
std::string read_file_or_pipe(const std::string& path, std::size_t bytes_max = file_bytes_max);

/// Reads a regular file that another user may have created, or returns nothing if it does not exist. Throws
/// file_error for a link and for other kinds of files, and does not wait for the other end of a pipe.
std::optional<std::string> read_regular_file(const std::string& path, std::size_t bytes_max = file_bytes_max);

}  // namespace loopbench::reports
