// Why a loop on select does not run a workload.
#pragma once

#include <sys/select.h>

#include <optional>
#include <string>

#include "bench/contenders/contender_main.hpp"

namespace loopbench::bench {

inline std::optional<std::string> why_not_on_select(const workload_shape& workload) {
    if (workload.open_files < FD_SETSIZE) return std::nullopt;
    return "select cannot watch descriptors of 1024 and more, and this workload opens " +
           std::to_string(workload.open_files);
}

}  // namespace loopbench::bench
