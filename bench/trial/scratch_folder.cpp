#include "bench/trial/scratch_folder.hpp"

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

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;
using reports::unique_fd;

constexpr std::string_view prefix = "loopbench-scratch-";

/// The folder, locked; none when it is no folder of this user's, or somebody has it.
unique_fd locked(const fs::path& folder) {
    unique_fd handle{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    struct stat about {};
    if (!handle || ::flock(handle.get(), LOCK_EX | LOCK_NB) != 0) return {};
    // Whoever removed it between its making and our lock has unlinked it.
    if (::fstat(handle.get(), &about) != 0 || about.st_nlink == 0 || about.st_uid != ::geteuid()) return {};
    return handle;
}

void remove_what_the_killed_left(const fs::path& in) {
    std::error_code unreadable;
    for (fs::directory_iterator each{in, unreadable}, end; !unreadable && each != end;
         each.increment(unreadable)) {
        if (!each->path().filename().native().starts_with(prefix)) continue;
        const auto handle = locked(each->path());
        std::error_code ignored;
        if (handle) fs::remove_all(each->path(), ignored);
    }
}

}  // namespace

fs::path temporary_folder() {
    const char* const chosen = ::getenv("TMPDIR");
    return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

scratch_folder::scratch_folder() {
    const auto in = temporary_folder();
    [[maybe_unused]] static const bool cleared = (remove_what_the_killed_left(in), true);
    while (!lock_) {
        auto name = (in / (std::string{prefix} + "XXXXXX")).native();
        if (::mkdtemp(name.data()) == nullptr) {
            const int cause = errno;
            throw reports::file_error{
                fmt::format("cannot make a folder in {}: {}; set TMPDIR to a folder that "
                            "has room and may be written to",
                            in.native(), std::generic_category().message(cause))};
        }
        lock_ = locked(name);
        path_ = name;
    }
}

scratch_folder::~scratch_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace loopbench::bench
