// A program of an Asio user that declares Asio's context and its old name itself, as Boost.Process and
// ndn-cxx do, has another class of the same name, and calls Asio's functions without naming their namespace.
// Ends with 0 if all of these names mean what they mean with Asio's own context.
namespace boost::asio {
class io_context;
using io_service = io_context;
}  // namespace boost::asio

namespace {
void run(boost::asio::io_service& service);
}

#include <boost/asio.hpp>
#include <boost/asio/ts/net.hpp>
#include <type_traits>

namespace boost {
namespace asio {
class io_context;
}
}  // namespace boost

namespace {

struct io_context {
    int ran = 0;
};

void run(class boost::asio::io_context& context) {
    context.run();
}

}  // namespace

int main() {
    static_assert(!std::is_same_v<io_context, boost::asio::io_context>);
    boost::asio::io_context context;
    io_context mine;
    const auto count = [&] { ++mine.ran; };
    post(context, count);
    post(context.get_executor(), count);
    dispatch(context.get_executor(), count);
    defer(context.get_executor(), count);
    post(make_strand(context.get_executor()), count);
    const auto guard = make_work_guard(context.get_executor());
    post(guard.get_executor(), [&] { context.stop(); });
    run(context);
    return mine.ran == 5 ? 0 : 1;
}
