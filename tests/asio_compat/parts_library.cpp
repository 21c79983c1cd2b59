// The shared library of the program in parts.hpp.
#include "tests/asio_compat/parts.hpp"

#if defined(BOOST_ASIO_SEPARATE_COMPILATION)
#include <boost/asio/impl/src.hpp>
#endif

namespace parts {

std::unique_ptr<types::io_context> make_context_in_library() {
    return std::make_unique<types::io_context>();
}

void start_operations_in_library(types::io_context& context, int& ended) {
    start_operations(context, ended);
}

boost::asio::any_io_executor executor_of_library(types::io_context& context) {
    return context.get_executor();
}

void run_in_library(types::io_context& context) {
    context.run();
}

}  // namespace parts
