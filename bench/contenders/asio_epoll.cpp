// The contender asio-epoll: Boost.Asio as it comes, the reference that ratios are taken against.
#include <boost/version.hpp>
#include <string>

#include "asio_ref/runtime.hpp"
#include "bench/contenders/contender_main.hpp"

int main(int argc, char** argv) {
    const std::string boost_version =
        std::to_string(BOOST_VERSION / 100'000) + "." + std::to_string(BOOST_VERSION / 100 % 1000);
    return loopbench::bench::contender_main<loopbench::asio_ref::runtime>(
        argc, argv, {.library = "Boost.Asio", .library_version = boost_version, .driver = "epoll"});
}
