// With two threads in `run()`, a blocked `io_context::strand` blocks no other strand.
// https://github.com/chriskohlhoff/asio/issues/147
#include <boost/asio/io_context_strand.hpp>

#include "tests/clinic/waiting_strands.hpp"

int main() {
    return clinic::judge([] {
        return clinic::judge_strands(
            [](boost::asio::io_context& context) { return boost::asio::io_context::strand(context); });
    });
}
