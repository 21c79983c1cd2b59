#include "bench/harness/trial/process/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;
using reports::unique_fd;

// The names of temporary folders begin with a dot and have a fixed length, so that a user's folder such as
// loopbench-results is never removed.
constexpr std::string_view prefix = ".loopbench-", unique = "XXXXXX";

std::pair<unique_fd, int> locked(const fs::path& folder) {
    unique_fd handle{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    struct stat about {};
    if (!handle || ::flock(handle.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(handle.get(), &about) != 0)
        return {unique_fd{}, errno};
    // If the folder has no links, another process removed it before the call of flock(), so the lock is
    // useless.
    if (about.st_nlink == 0 || about.st_uid != ::geteuid()) return {unique_fd{}, 0};
    return {std::move(handle), 0};
}

void remove_what_the_killed_left(const fs::path& in) {
    std::error_code unreadable;
    for (fs::directory_iterator each{in, unreadable}, end; !unreadable && each != end;
         each.increment(unreadable)) {
        const auto name = each->path().filename().native();
        if (!name.starts_with(prefix) || name.size() != prefix.size() + unique.size()) continue;
        const auto lock = locked(each->path());
        std::error_code ignored;
        if (lock.first) fs::remove_all(each->path(), ignored);
    }
}

}  // namespace

fs::path temporary_root() {
    const char* const chosen = ::getenv("TMPDIR");
    if (chosen == nullptr || *chosen == '\0') return "/tmp";
    std::error_code unknown;
    auto absolute = fs::absolute(chosen, unknown);  // a trial can have another working directory
    return unknown ? fs::path{chosen} : absolute;
}

temporary_folder::temporary_folder() {
    const auto in = temporary_root();
    [[maybe_unused]] static const bool cleared = (remove_what_the_killed_left(in), true);
    constexpr int tries_max = 100;  // another process can remove the folder before it is locked
    for (int tries = 1;; ++tries) {
        auto name = (in / fmt::format("{}{}", prefix, unique)).native();
        if (::mkdtemp(name.data()) == nullptr) {
            const int cause = errno;
            throw reports::file_error{fmt::format(
                "cannot create a folder in {}: {}; set TMPDIR to a writable folder with free space",
                in.native(), std::generic_category().message(cause))};
        }
        path_ = name;
        int cause = 0;
        std::tie(lock_, cause) = locked(path_);
        if (lock_) return;
        ::rmdir(name.c_str());
        if (tries == tries_max || (cause != 0 && cause != EWOULDBLOCK && cause != ENOENT))
            throw reports::file_error{
                fmt::format("cannot lock the folder {}: {}; set TMPDIR to a folder on a local file system",
                            name, std::generic_category().message(cause))};
    }
}

temporary_folder::~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace loopbench::bench
