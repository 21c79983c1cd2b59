#include "bench/suite/contenders/asio_on_loop_contender.hpp"

#include "asio_ref/on_loop.hpp"
#include "bench/suite/contenders/asio_info.hpp"

namespace loopbench::bench {

int asio_on_loop_contender_main(int argc, char** argv, const char* name, const char* design) {
    contender_info info = asio_info(name, design);
    info.library_version += " on loopbench";
    return contender_main<asio_ref::runtime>(argc, argv, std::move(info),
                                             [design] { return asio_ref::make_runtime_on_loop(design); });
}

}  // namespace loopbench::bench
