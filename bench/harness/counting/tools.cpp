#include "bench/harness/counting/tools.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <sstream>

#include "bench/harness/counting/heap_counts.hpp"
#include "reports/base/posix_io.hpp"

namespace loopbench::bench {

std::optional<std::string> record_file::content() const {
    try {
        return reports::read_regular_file(path(), bytes_max);
    } catch (const reports::file_error& error) {
        throw uncountable{error.what()};
    }
}

std::string record_file::contents() const {
    std::string all;
    try {
        for (const auto& file : std::filesystem::directory_iterator{folder_.path()})
            all += reports::read_regular_file(file.path().native(), bytes_max).value_or("");
    } catch (const std::exception& error) {
        throw uncountable{"{}", error.what()};
    }
    return all;
}

namespace {

/// Returns the value of LD_PRELOAD that loads the counter after the libraries that the user preloads. If one
/// of them is an allocator, it allocates and frees as without the counter.
std::string after_libraries_of_user(const std::string& counter) {
    const char* const preloaded = std::getenv("LD_PRELOAD");
    return preloaded == nullptr || *preloaded == '\0' ? counter : std::string{preloaded} + ":" + counter;
}

}  // namespace

heap_record::heap_record(const std::string& counter)
    : environment_{{"LD_PRELOAD", after_libraries_of_user(counter)},
                   {"LOOPBENCH_MALLOC_FILE", file_.path()}} {
    try {
        // The zeros are written and not only reserved. Otherwise, a full file system would end the counted
        // process with SIGBUS when it counts.
        const reports::unique_fd file{
            ::open(file_.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
        if (!file) throw reports::file_error{"write", file_.path(), errno};
        reports::write_all(file.get(), std::string(sizeof(heap_counts), '\0'), file_.path());
    } catch (const reports::file_error& error) {
        throw uncountable{error.what()};
    }
}

std::optional<heap_use> heap_record::content(double runs) const {
    const auto text = file_.content().value_or("");
    std::array<std::uint64_t, 4> numbers{};
    static_assert(sizeof numbers == sizeof(heap_counts));
    if (text.size() != sizeof numbers)
        throw uncountable{
            "the file with the number of allocations is damaged; make sure that {} has free space",
            temporary_root().native()};
    std::memcpy(numbers.data(), text.data(), sizeof numbers);
    const auto& [allocations, bytes, loaded, started] = numbers;
    if (static_cast<double>(loaded) < static_cast<double>(started) + runs) return std::nullopt;
    return heap_use{static_cast<double>(allocations), static_cast<double>(bytes)};
}

}  // namespace loopbench::bench
