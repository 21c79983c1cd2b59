// A contender that tests/package/extend.py adds to a copy of the sources.
#include "asio_ref/runtime.hpp"
#include "bench/suite/contenders/contender_main.hpp"

int main(int argc, char** argv) {
    using namespace loopbench;
    return bench::contender_main<asio_ref::runtime>(argc, argv, {.name = "other", .library = "of a test"});
}
