#include "bench/suite/workloads/sockets/transport.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

namespace loopbench::bench::workloads {

socket_path::socket_path() {
    static std::atomic<unsigned> count = 0;
    // The name is short, because the whole path must fit into 107 bytes, including the path of the trial's
    // temporary folder.
    text_ = fmt::format("{}/lb{}.{}", std::filesystem::temp_directory_path().native(), ::getpid(), ++count);
}

socket_path::~socket_path() {
    ::unlink(text_.c_str());
}

}  // namespace loopbench::bench::workloads
