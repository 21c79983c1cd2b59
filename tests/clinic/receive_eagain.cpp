// `async_receive` waits for data, instead of ending with EAGAIN.
// https://github.com/chriskohlhoff/asio/issues/1086
#include <boost/asio/write.hpp>

#include "tests/clinic/clinic.hpp"
#include "tests/clinic/sockets.hpp"

namespace {

using boost::system::error_code;

clinic::verdict check() {
    boost::asio::io_context context;
    auto [reader, writer] = clinic::connection(context);
    for (int i = 0; i < 100; ++i) {
        reader.non_blocking(i % 4 < 2);
        int ended = 0;
        error_code found;
        char byte = ' ';
        reader.async_receive(boost::asio::buffer(&byte, 1), [&](error_code error, std::size_t) {
            ++ended;
            found = error;
        });
        context.restart();
        context.poll();
        if (ended != 0) return clinic::wrong("async_receive ended without data: %s", found.message().c_str());
        boost::asio::write(writer, boost::asio::buffer("x", 1));
        context.run();
        if (ended != 1 || found || byte != 'x')
            return clinic::wrong("async_receive ended %d times: %s", ended, found.message().c_str());
        clinic::passed();
    }
    return clinic::right();
}

}  // namespace

int main() {
    return clinic::judge(check);
}
