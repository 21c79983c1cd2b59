// A contender with a defect that LOOPBENCH_TEST_COST selects: system_call or allocation adds one to each
// operation, and crash ends the program with a signal. If LOOPBENCH_TEST_COST_OF is set, only the program
// with this name has the defect.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "asio_ref/runtime.hpp"
#include "bench/suite/contenders/contender_main.hpp"

namespace loopbench::bench {
namespace {

const std::string_view cost = [] {
    const char* const text = std::getenv("LOOPBENCH_TEST_COST");
    const char* const whose = std::getenv("LOOPBENCH_TEST_COST_OF");
    if (whose != nullptr && std::string_view{::program_invocation_short_name} != whose)
        return std::string_view{};
    return std::string_view{text == nullptr ? "" : text};
}();

struct costly_runtime : asio_ref::runtime {
    auto yield() {
        if (cost == "system_call") static_cast<void>(::fcntl(0, F_GETFD));
        if (cost == "crash") std::abort();
        if (cost == "allocation") {
            void* volatile planted = std::malloc(40);
            std::free(planted);
        }
        return asio_ref::runtime::yield();
    }
};

}  // namespace
}  // namespace loopbench::bench

int main(int argc, char** argv) {
    using namespace loopbench::bench;
    return run_contender(
        argc, argv, {.name = "costly", .library = "Boost.Asio", .library_version = "1", .driver = "epoll"},
        {{*find_shape("yield"), on_fresh_runtime<costly_runtime>(workloads::yield<costly_runtime>, [] {
              return std::make_unique<costly_runtime>();
          })}});
}
