#include "reports/base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <list>
#include <string>
#include <system_error>
#include <utility>

#include "reports/base/posix_io.hpp"

namespace loopbench::reports {

namespace {

namespace fs = std::filesystem;

/// Syncs the folder of `file`, so that a power failure cannot undo the renaming of the file. Ignores errors
/// other than EIO, because some file systems cannot sync a folder.
void sync_folder_of(const fs::path& file) {
    const auto folder = file.has_parent_path() ? file.parent_path() : fs::path{"."};
    const unique_fd opened{
        uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); })};
    if (opened && ::fsync(opened.get()) != 0 && errno == EIO) throw file_error{"write", file.native(), errno};
}

}  // namespace

/// Removes the temporary files of `target` whose writing process has ended: no process has the process ID in
/// the file's name, and no process has locked the file.
void remove_abandoned(const fs::path& target) {
    const auto front = target.filename().native() + ".";
    const auto folder = target.has_parent_path() ? target.parent_path() : fs::path{"."};
    std::error_code error;
    for (fs::directory_iterator entry{folder, error}, end; !error && entry != end; entry.increment(error)) {
        const auto name = entry->path().filename().native();
        if (!name.starts_with(front) || !name.ends_with(".tmp")) continue;
        int writer = 0, attempt = 0, length = 0;
        const auto* middle = name.c_str() + front.size();
        if (std::sscanf(middle, "%d-%d.tmp%n", &writer, &attempt, &length) != 2 ||
            middle + length != name.c_str() + name.size() || writer <= 0)
            continue;
        if (::kill(writer, 0) == 0 || errno != ESRCH) continue;
        const unique_fd left{uninterrupted(
            [&] { return ::open(entry->path().c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); })};
        if (left && ::flock(left.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
    }
}

namespace {

void write_content(int fd, const new_file& of, const std::string& name) {
    write_all(fd, of.content, name);
    while (of.rest) {
        const auto piece = of.rest();
        if (piece.empty()) break;
        write_all(fd, piece, name);
    }
}

class temporary_file {
public:
    explicit temporary_file(const fs::path& target) : temporary_file{target, target.native()} {}
    temporary_file(fs::path target, std::string called)
        : target_{std::move(target)}, called_{std::move(called)} {
        remove_abandoned(target_);
        // mkstemp() is not used, because it ignores the umask and makes files that only their owner can read.
        constexpr int attempts_max = 100;
        for (int attempt = 0; attempt < attempts_max && !file_; ++attempt) {
            path_ = fmt::format("{}.{}-{}.tmp", target_.native(), ::getpid(), attempt);
            file_ = unique_fd{uninterrupted([&] {
                return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
            })};
            if (!file_ && errno != EEXIST) break;
        }
        if (!file_) throw file_error{"create", called_, errno};
        ::flock(file_.get(), LOCK_EX | LOCK_NB);
    }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    ~temporary_file() {
        if (!renamed_) ::unlink(path_.c_str());
    }

    void fill(const new_file& with) {
        write_content(file_.get(), with, called_);
        if (::fsync(file_.get()) != 0) throw file_error{"write", called_, errno};
        if (const int error = file_.reset()) throw file_error{"write", called_, error};
    }

    void take_the_name() {
        if (::rename(path_.c_str(), target_.c_str()) != 0) throw file_error{"replace", called_, errno};
        renamed_ = true;
        sync_folder_of(target_);
    }

private:
    fs::path target_;
    std::string called_, path_;
    unique_fd file_;
    bool renamed_ = false;
};

/// Follows a chain of symbolic links that ends at a missing file, and returns the path of this file. Returns
/// any other `path` unchanged. A circle of links causes no endless loop, because the kernel reports it as
/// ELOOP and not as a missing file.
fs::path end_of_links(fs::path path) {
    std::error_code error;
    while (fs::status(path, error).type() == fs::file_type::not_found &&
           fs::symlink_status(path, error).type() == fs::file_type::symlink)
        path = path.parent_path() / fs::read_symlink(path, error);
    return path;
}

std::string called(const fs::path& path, const fs::path& target) {
    std::error_code unreadable;
    if (path == target || !fs::is_symlink(path, unreadable)) return path.native();
    return fmt::format("{}, a link to {}", path.native(), target.native());
}

void write_in_place(const new_file& with) {
    const auto& path = with.path;
    unique_fd file{uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK); })};
    if (!file && errno == ENXIO)
        throw file_error{
            fmt::format("cannot write {}: no program reads from this pipe; start the reading program first, "
                        "or remove the pipe",
                        path.native())};
    if (!file || ::fcntl(file.get(), F_SETFL, 0) != 0) throw file_error{"open", path.native(), errno};
    write_content(file.get(), with, path.native());
    if (const int error = file.reset()) throw file_error{"write", path.native(), error};
}

}  // namespace

void write_files_atomically(std::span<const new_file> files) {
    std::list<temporary_file> filled;
    for (const auto& each : files) {
        const auto& path = each.path;
        std::error_code unresolved;
        const auto resolved = fs::canonical(path, unresolved);
        const auto target = unresolved ? end_of_links(path) : resolved;
        const auto kind = fs::status(target, unresolved).type();
        if (kind == fs::file_type::directory) throw file_error{"write", path.native(), EISDIR};
        if (kind != fs::file_type::regular && kind != fs::file_type::not_found)
            write_in_place(each);
        else
            filled.emplace_back(target, called(path, target)).fill(each);
    }
    for (auto& file : filled) file.take_the_name();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
    const std::array only{new_file{path, content}};
    write_files_atomically(only);
}

std::error_code why_unwritable(const std::filesystem::path& path) {
    std::error_code unresolved;
    const auto resolved = fs::canonical(path, unresolved);
    const auto target = unresolved ? end_of_links(path) : resolved;
    const auto folder = target.has_parent_path() ? target.parent_path() : fs::path{"."};
    const auto denied = [](const fs::path& place, int how) {
        return ::access(place.c_str(), how) == 0 ? 0 : errno;
    };
    const int at_file = denied(target, W_OK);
    const bool is_missing = at_file == ENOENT;
    const int error = at_file != 0 && !is_missing ? at_file : denied(folder, W_OK | X_OK);
    return {error, std::generic_category()};
}

void prepare_output_folder(const std::filesystem::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw file_error{"create the folder", folder.native(), error.value()};
    if (!fs::is_directory(folder, error)) throw file_error{"write into", folder.native(), ENOTDIR};
    temporary_file probe{folder / "probe"};
}

}  // namespace loopbench::reports
