#pragma once

#include "asio_ref/on_loop.hpp"
#include "tests/conformance/contestant.hpp"

namespace loopbench::conformance {

template <class Use>
void for_each_contestant(Use use) {
    using asio_ref::make_runtime_on_loop;
    using asio_ref::runtime;
    use(contestant<runtime>{"asio-on-epoll", [] { return make_runtime_on_loop("epoll"); }});
    use(contestant<runtime>{"asio-on-uring", [] { return make_runtime_on_loop("io_uring"); }});
}

}  // namespace loopbench::conformance
