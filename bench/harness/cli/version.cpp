#include "bench/harness/cli/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/version.hpp>

#include "bench/harness/machine/environment.hpp"

namespace loopbench::bench {

namespace {

std::string boost_version() {
    std::string version = BOOST_LIB_VERSION;
    std::ranges::replace(version, '_', '.');
    return version;
}

}  // namespace

std::string version_text() {
    return fmt::format(
        "loopbench {}\n"
        "commit    {}\n"
        "compiler  {}\n"
        "Boost     {}, in this command; `loopbench list` names that of each contender\n"
        "history   {}\n"
        "io_uring  {}",
        loopbench_version(), source_commit(), LOOPBENCH_BUILT_COMPILER, boost_version(),
        LOOPBENCH_BUILT_HISTORY, LOOPBENCH_BUILT_IO_URING);
}

}  // namespace loopbench::bench
