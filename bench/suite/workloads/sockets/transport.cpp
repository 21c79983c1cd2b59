#include "bench/suite/workloads/sockets/transport.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

namespace loopbench::bench::workloads {

socket_path::socket_path() {
    static std::atomic<unsigned> count = 0;
    // The whole path must fit into 107 bytes, which also include the path of a trial's temporary folder.
    text_ = fmt::format("{}/lb{}.{}", std::filesystem::temp_directory_path().native(), ::getpid(), ++count);
}

socket_path::~socket_path() {
    ::unlink(text_.c_str());
}

}  // namespace loopbench::bench::workloads
