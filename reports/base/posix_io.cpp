#include "reports/base/posix_io.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace loopbench::reports {

namespace {

constexpr std::string_view standard_output = "standard output";

std::string_view remedy_for_output(int error) {
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            return "free some space on the file system of the output, or redirect the output to another "
                   "place";
        case EPIPE:
            return "the reading program ended too early; make it read the whole output";
        default:
            return "redirect the output to another place";
    }
}

std::string_view remedy_for_reading(int error) {
    switch (error) {
        case ENOENT:
        case ENOTDIR:
            return "check the spelling of the file name";
        case EISDIR:
            return "name a file in this folder";
        case EACCES:
        case EPERM:
            return "name a file that you can read";
        default:
            return "name another file";
    }
}

std::string_view remedy_for_writing(int error) {
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            return "free some space or choose another place with -o";
        case EFBIG:
            return "raise the limit on file sizes (ulimit -f) or choose another place with -o";
        case EACCES:
        case EPERM:
        case EROFS:
            return "choose a writable place with -o";
        case ENOENT:
            return "create its folder, or choose another place with -o";
        default:
            return "choose another place with -o";
    }
}

std::string_view remedy_for(std::string_view action, std::string_view name, int error) {
    if (name == standard_output) return remedy_for_output(error);
    return action.starts_with("read") ? remedy_for_reading(error) : remedy_for_writing(error);
}

file_error too_large(std::string_view name, std::string_view found, std::size_t bytes_max) {
    return file_error{fmt::format(
        "cannot read {}: {}; the limit is {} bytes ({} MiB); check the file name, or split the run "
        "(--contender, --workload, --blocks)",
        name, found, bytes_max, bytes_max >> 20U)};
}

}  // namespace

file_error::file_error(std::string_view action, std::string_view name, int error)
    : std::runtime_error{fmt::format("cannot {} {}: {}; {}", action, name, std::strerror(error),
                                     remedy_for(action, name, error))} {}

int unique_fd::reset() noexcept {
    if (fd_ < 0) return 0;
    // After EINTR, close() must not be called again: Linux has already closed the descriptor, and another
    // file may already have its number.
    const int outcome = ::close(std::exchange(fd_, -1));
    return outcome == -1 && errno != EINTR ? errno : 0;
}

void write_all(int fd, std::string_view bytes, std::string_view name) {
    while (!bytes.empty()) {
        const auto written = uninterrupted([&] { return ::write(fd, bytes.data(), bytes.size()); });
        if (written < 0) throw file_error{"write", name, errno};
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void write_standard_output(std::string_view bytes) {
    write_all(STDOUT_FILENO, bytes, standard_output);
}

namespace {

std::string read_all(int file, const std::string& path, std::size_t bytes_max) {
    struct stat about {};
    if (::fstat(file, &about) != 0) throw file_error{"read", path, errno};
    const auto size = static_cast<std::uint64_t>(std::max<off_t>(about.st_size, 0));
    if (S_ISREG(about.st_mode) && size > bytes_max)
        throw too_large(path, fmt::format("the file has {} bytes", size), bytes_max);
    std::string content;
    content.reserve(size + room_behind);  // st_size is 0 for pipes and devices
    std::array<char, 65536> chunk;
    for (;;) {
        const auto count = uninterrupted([&] { return ::read(file, chunk.data(), chunk.size()); });
        if (count < 0 && errno == EAGAIN) {
            pollfd more{file, POLLIN, 0};
            ::poll(&more, 1, -1);
            continue;
        }
        if (count < 0) throw file_error{"read", path, errno};
        if (count == 0) return content;
        if (static_cast<std::size_t>(count) > bytes_max - content.size())
            throw too_large(path, "the file is longer than the limit", bytes_max);
        content.append(chunk.data(), static_cast<std::size_t>(count));
    }
}

std::string_view kind_of(mode_t mode) {
    if (S_ISFIFO(mode)) return "a pipe";
    return S_ISSOCK(mode) ? "a socket" : "a device";
}

unique_fd open_without_waiting(const std::string& path, int flags) {
    return unique_fd{uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK); })};
}

}  // namespace

unique_fd open_regular_file(const std::string& path, int flags, std::string_view action) {
    auto file = open_without_waiting(path, flags);
    const int refused = file ? 0 : errno;
    struct stat about {};
    if (refused != 0 && refused != ENXIO) throw file_error{action, path, refused};
    if ((file ? ::fstat(file.get(), &about) : ::stat(path.c_str(), &about)) != 0)
        throw file_error{action, path, errno};
    if (S_ISDIR(about.st_mode)) throw file_error{action, path, EISDIR};
    if (!file || !S_ISREG(about.st_mode))
        throw file_error{fmt::format("cannot {} {}: it is {}; {}", action, path, kind_of(about.st_mode),
                                     action.starts_with("read")
                                         ? "name a regular file"
                                         : "remove it, or choose another place with -o")};
    return file;
}

std::string read_file(const std::string& path, std::size_t bytes_max) {
    return read_all(open_regular_file(path, O_RDONLY, "read").get(), path, bytes_max);
}

std::string read_file_or_pipe(const std::string& path, std::size_t bytes_max) {
    const auto file = open_without_waiting(path, O_RDONLY);
    if (!file) throw file_error{"read", path, errno};
    auto content = read_all(file.get(), path, bytes_max);
    struct stat about {};
    if (content.empty() && ::fstat(file.get(), &about) == 0 && S_ISFIFO(about.st_mode))
        throw file_error{fmt::format(
            "cannot read {}: this pipe is empty; start the program that writes into it first", path)};
    return content;
}

std::optional<std::string> read_regular_file(const std::string& path, std::size_t bytes_max) {
    const unique_fd file{
        uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); })};
    if (!file && errno == ENOENT) return std::nullopt;
    struct stat about {};
    if (!file && errno != ELOOP && errno != ENXIO) throw file_error{"read", path, errno};
    if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode))
        throw file_error{fmt::format("cannot read {}: it is not a regular file; remove it", path)};
    return read_all(file.get(), path, bytes_max);
}

}  // namespace loopbench::reports
