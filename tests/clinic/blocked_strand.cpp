// With two threads in `run()`, a blocked `strand` blocks no other strand.
// https://github.com/chriskohlhoff/asio/issues/147
#include <boost/asio/strand.hpp>

#include "tests/clinic/waiting_strands.hpp"

int main() {
    return clinic::judge([] {
        return clinic::judge_strands([](auto& context) { return boost::asio::make_strand(context); });
    });
}
