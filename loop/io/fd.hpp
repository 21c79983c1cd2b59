#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace loopbench::loop {

/// An owned descriptor; -1 means that there is no descriptor. Errors of close(2) are ignored, because Linux
/// closes the descriptor even if close(2) returns an error.
class unique_fd {
public:
    unique_fd() = default;
    explicit unique_fd(int fd) noexcept : fd_(fd) {}
    unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    unique_fd& operator=(unique_fd&& other) noexcept {
        if (this != &other) reset(std::exchange(other.fd_, -1));
        return *this;
    }
    ~unique_fd() { reset(); }

    int get() const noexcept { return fd_; }
    explicit operator bool() const noexcept { return fd_ >= 0; }
    int release() noexcept { return std::exchange(fd_, -1); }
    void reset(int fd = -1) noexcept {
        if (fd_ >= 0) ::close(fd_);
        fd_ = fd;
    }

private:
    int fd_ = -1;
};

[[noreturn]] inline void throw_errno(const std::string& what, int error = errno) {
    throw std::system_error(error, std::generic_category(), what);
}

[[noreturn]] inline void throw_failed(const std::string& call, int error = errno) {
    const char* const remedy = error == EMFILE ? " (raise the limit on open files with `ulimit -n`)" : "";
    throw_errno(call + " failed" + remedy, error);
}

/// Returns `result`; if it is negative, throws the error in errno as a std::system_error.
inline int checked(int result, const char* call) {
    if (result < 0) throw_failed(call);
    return result;
}

}  // namespace loopbench::loop
