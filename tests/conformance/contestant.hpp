// A runtime under test: a type, a name, and a way to make one.
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

/// Returns the contestant of a type that is default-constructible and has a name.
template <bench::Runtime R>
contestant<R> contestant_of() {
    return {R::name, [] { return std::make_unique<R>(); }};
}

}  // namespace loopbench::conformance
