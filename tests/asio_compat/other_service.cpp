// An object of a program, with a service of the program, on our context. It must not compile.
#include <loopbench/asio.hpp>

struct service_of_the_program {};

using object =
    boost::asio::detail::io_object_impl<service_of_the_program, loopbench::asio::io_context::executor_type>;

int main() {
    loopbench::asio::io_context context;
    const object made(0, 0, context);
}
