#include "swap_context.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

int run_context() {
    boost::asio::io_context context;
    int ran = 0;
    boost::asio::post(context, [&] { ++ran; });
    context.run();
    return ran;
}
