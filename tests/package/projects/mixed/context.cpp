// A part of a program that runs a context without work.
#include <boost/asio/io_context.hpp>

extern "C" int part() {
    boost::asio::io_context context;
    return context.run() == 0 ? 0 : 1;
}
