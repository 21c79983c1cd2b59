// A contender that LOOPBENCH_TEST_COST makes more expensive: system_call and allocation add one per
// operation, and crash crashes the program. LOOPBENCH_TEST_COST_OF limits this to one program's name.
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
