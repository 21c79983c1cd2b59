// The journal does not call fsync() after a line, because the disk would then be busy during the next trial.
// Therefore a power failure can lose the trials of the last seconds. A kill of the process loses no finished
// trial.
#include "bench/harness/experiment/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

/// Tries to lock the file for up to a second. If a run is killed directly after it forked a child process,
/// the child keeps the run's lock until the child executes a contender or ends. The function waits for this.
bool lock_soon(int fd) {
    constexpr int tries = 100;
    for (int i = 0; i < tries; ++i) {
        if (reports::uninterrupted([&] { return ::flock(fd, LOCK_EX | LOCK_NB); }) == 0) return true;
        if (errno != EWOULDBLOCK) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace

reports::unique_fd locked_folder_of(const std::filesystem::path& file) {
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
    reports::unique_fd opened{
        reports::uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); })};
    if (!opened) throw reports::file_error{"open", folder.native(), errno};
    if (!lock_soon(opened.get()))
        throw reports::file_error{
            fmt::format("cannot write into {}: another run is writing there; wait until it ends or choose "
                        "another folder with -o",
                        folder.native())};
    return opened;
}

void refuse_folder_in_use(const std::filesystem::path& folder) {
    if (std::filesystem::is_directory(folder)) locked_folder_of(folder / "journal.jsonl");
}

journal::journal(const std::filesystem::path& path, const session_record& begun)
    : path_{path.native()}, lock_{locked_folder_of(path)} {
    const auto header = reports::dump(header_line(begun));
    if (header.size() > journal_line_bytes_max)
        throw usage_error{
            "the plan of the run has {} bytes, but a line of the journal is limited to {}; choose fewer "
            "workloads with --workload{}",
            header.size(), journal_line_bytes_max,
            begun.plan.of_one_program ? "" : ", or fewer contenders with --contender"};
    reports::write_file_atomically(path, header + "\n");
    file_ = reports::open_regular_file(path_, O_WRONLY | O_APPEND, "open");
}

journal::journal(const std::filesystem::path& path)
    : path_{path.native()},
      lock_{locked_folder_of(path)},
      file_{reports::open_regular_file(path_, O_WRONLY | O_APPEND, "continue")} {
    reports::remove_abandoned(path);  // temporary files of a run that tried to replace this journal
}

void journal::keep(std::uint64_t bytes) {
    if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0)
        throw reports::file_error{"continue", path_, errno};
}

void journal::append(std::span<const counted_result> cells, found_causes causes) {
    auto line = reports::dump(counted_line(cells, causes));
    const auto shorten = [&](auto remove) {
        if (!causes || line.size() <= journal_line_bytes_max) return;
        remove(*causes);
        line = reports::dump(counted_line(cells, causes));
    };
    shorten([](auto& all) {
        for (auto& each : all)
            if (each.profiled) each.profiled->stacks.clear();
    });
    shorten([](auto& all) {
        for (auto& each : all) each.profiled.reset();
    });
    shorten([](auto& all) { all.clear(); });
    write_text(std::move(line));
}

void journal::write_text(std::string line) {
    struct stat before {};
    const bool size_known = ::fstat(file_.get(), &before) == 0;
    try {
        reports::write_all(file_.get(), line + "\n", path_);
    } catch (const reports::file_error&) {
        if (size_known) {
            [[maybe_unused]] const int taken_back = ::ftruncate(file_.get(), before.st_size);
        }
        throw;
    }
}

}  // namespace loopbench::bench
