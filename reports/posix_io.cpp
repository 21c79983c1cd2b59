// Errors of files are told with a remedy; the remedies stand in one table.
#include "reports/posix_io.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace loopbench::reports {

namespace {

std::string_view remedy_for(int error) {
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            return "free some space or choose another place with -o";
        case EFBIG:
            return "raise the limit on file sizes (ulimit -f) or choose another place with -o";
        case EACCES:
        case EPERM:
        case EROFS:
            return "choose a place that you may write to with -o";
        case ENOENT:
            return "check the spelling";
        default:
            return "choose another place with -o";
    }
}

}  // namespace

file_error::file_error(std::string_view action, std::string_view name, int error)
    : std::runtime_error{
          fmt::format("cannot {} {}: {}; {}", action, name, std::strerror(error), remedy_for(error))} {}

int unique_fd::reset() noexcept {
    if (fd_ < 0) return 0;
    // Not repeated on EINTR: on Linux the descriptor is gone, and its number may belong to someone else.
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
    write_all(STDOUT_FILENO, bytes, "standard output");
}

std::string read_file(const std::string& path) {
    const unique_fd file{uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); })};
    if (!file) throw file_error{"open", path, errno};
    std::string content;
    std::array<char, 65536> chunk;
    for (;;) {
        const auto count = uninterrupted([&] { return ::read(file.get(), chunk.data(), chunk.size()); });
        if (count < 0) throw file_error{"read", path, errno};
        if (count == 0) return content;
        content.append(chunk.data(), static_cast<std::size_t>(count));
    }
}

}  // namespace loopbench::reports
