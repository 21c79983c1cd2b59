#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "bench/suite/runtime.hpp"

namespace loopbench::conformance {

template <bench::Runtime R>
struct contestant {
    std::string_view name;
    std::function<std::unique_ptr<R>()> make;
};

template <bench::Runtime R>
contestant<R> contestant_of() {
    return {R::name, [] { return std::make_unique<R>(); }};
}

}  // namespace loopbench::conformance
