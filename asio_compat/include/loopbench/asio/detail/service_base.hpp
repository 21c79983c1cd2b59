// Specialises Asio's service_base, the base class of many programs' services, for programs that are compiled
// with dropin.hpp. In these programs, the constructor of such a service takes our io_context.
#pragma once

#include <concepts>

#include "loopbench/asio/detail/io_context.hpp"

namespace boost::asio::detail {

class strand_service;

/// The base class of a program's service. The service of Asio's own io_context::strand is the only one that
/// keeps Asio's class as its base.
template <class Type>
requires(!std::same_as<Type, strand_service>) class service_base<Type>
    : public loopbench_io_context::service {
public:
    static inline service_id<Type> id;

    explicit service_base(loopbench_io_context& owner) : loopbench_io_context::service(owner) {}
};

}  // namespace boost::asio::detail
