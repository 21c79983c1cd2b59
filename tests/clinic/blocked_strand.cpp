// With two threads in `run()`, a blocked `strand` blocks no other strand.
// https://www.boost.org/doc/libs/1_81_0/doc/html/boost_asio/overview/core/strands.html
#include <boost/asio/strand.hpp>

#include "tests/clinic/waiting_strands.hpp"

int main() {
    return clinic::judge([] {
        return clinic::judge_strands([](auto& context) { return boost::asio::make_strand(context); });
    });
}
