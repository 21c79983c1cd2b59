#pragma once

#include <boost/asio/detail/concurrency_hint.hpp>

#include "bench/suite/threads/asio_each.hpp"
#include "bench/suite/threads/asio_shared.hpp"
#include "bench/suite/threads/loop_each.hpp"

namespace loopbench::conformance {

template <class Use>
void for_each_threads_contestant(Use use) {
    using namespace bench;
    using shared = asio_shared_runtime<asio_ref::executor>;
    using strands = asio_shared_runtime<asio_strand>;
    using each = asio_each_runtime<asio_ref::runtime>;
    use(threads_contestant<shared>{"asio-shared", [](auto& plan) { return std::make_unique<shared>(plan); }});
    use(threads_contestant<strands>{"asio-strands",
                                    [](auto& plan) { return std::make_unique<strands>(plan); }});
    use(threads_contestant<shared>{"asio-shared-default", [](auto& plan) {
                                       return std::make_unique<shared>(plan,
                                                                       BOOST_ASIO_CONCURRENCY_HINT_DEFAULT);
                                   }});
    using deferred = asio_shared_runtime<asio_ref::executor, submission::defer>;
    use(threads_contestant<deferred>{"asio-shared-defer",
                                     [](auto& plan) { return std::make_unique<deferred>(plan); }});
    const auto asio = [](dealing how) {
        return [how](const thread_plan& plan) {
            return std::make_unique<each>(plan, how, [] { return std::make_unique<asio_ref::runtime>(); });
        };
    };
    use(threads_contestant<each>{"asio-each", asio(dealing::hand_over), true});
    use(threads_contestant<each>{"asio-reuseport", asio(dealing::reuse_port)});
    const auto loops = [](std::string_view design, dealing how) {
        return [design, how](const thread_plan& plan) {
            return std::make_unique<loop_each_runtime>(plan, how, design);
        };
    };
    use(threads_contestant<loop_each_runtime>{"loop-each", loops("loop-epoll", dealing::hand_over), true});
    use(threads_contestant<loop_each_runtime>{"loop-reuseport", loops("loop-epoll", dealing::reuse_port)});
    use(threads_contestant<loop_each_runtime>{"loop-each-uring", loops("loop-uring", dealing::hand_over),
                                              true});
    use(threads_contestant<loop_each_runtime>{"loop-reuseport-uring",
                                              loops("loop-uring", dealing::reuse_port)});
}

}  // namespace loopbench::conformance
