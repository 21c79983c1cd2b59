// An owned file descriptor, what is kept for each, and how a system call that must not fail is called.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace loopbench::loop {

/// Closes on destruction; -1 is none. The error of close(2) is ignored: on Linux the descriptor is gone all
/// the same.
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

/// A T for each descriptor that was asked for, by its number.
template <class T>
class descriptor_table {
public:
    /// Makes it when there is none yet. Throws std::bad_alloc.
    T& get(int fd) {
        const auto index = static_cast<std::size_t>(fd);
        if (index >= entries_.size()) [[unlikely]]
            entries_.resize(2 * index + 16);
        return entries_[index];
    }
    /// Null when there is none, as for the -1 of what is closed.
    T* find(int fd) noexcept {
        return fd >= 0 && static_cast<std::size_t>(fd) < entries_.size() ? &(*this)[fd] : nullptr;
    }
    /// There must be one.
    T& operator[](int fd) noexcept { return entries_[static_cast<std::size_t>(fd)]; }

private:
    std::vector<T> entries_;
};

/// `errno` as an exception; `what` names the call, and the likely cause and remedy where there is one.
[[noreturn]] inline void throw_errno(const std::string& what, int error = errno) {
    throw std::system_error(error, std::generic_category(), what);
}

/// Gives the result of a call, or throws what errno says.
inline int checked(int result, const char* what) {
    if (result < 0) throw_errno(what);
    return result;
}

}  // namespace loopbench::loop
