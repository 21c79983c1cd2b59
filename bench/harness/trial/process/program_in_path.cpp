#include "bench/harness/trial/process/program_in_path.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace loopbench::bench {

std::optional<std::string> program_in_path(std::string_view name) {
    const char* const path = std::getenv("PATH");
    std::istringstream folders{path != nullptr ? path : "/usr/bin:/bin"};
    for (std::string folder; std::getline(folders, folder, ':');) {
        const auto file = std::filesystem::path{folder} / name;
        if (::access(file.c_str(), X_OK) == 0) return file.native();
    }
    return std::nullopt;
}

}  // namespace loopbench::bench
