// How long does a post take with two threads in `run()`, compared with one?
// https://github.com/chriskohlhoff/asio/issues/164 https://github.com/chriskohlhoff/asio/issues/886
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <stdexcept>
#include <vector>

#include "tests/clinic/clinic.hpp"

namespace {

constexpr int chains = 64, posts = 5000;

/// The number of functions that a chain still has to post, in cache lines of its own.
struct alignas(128) remainder {
    int left = posts;
};

struct chain {
    boost::asio::io_context& context;
    remainder& posting;

    void operator()() const {
        if (--posting.left > 0) boost::asio::post(context, chain(*this));
    }
};

double seconds_with(int threads) {
    boost::asio::io_context context(threads);
    std::vector<remainder> all(chains);
    for (auto& each : all) boost::asio::post(context, chain{context, each});
    const double seconds = clinic::seconds_of([&] {
        std::vector<std::jthread> others;
        for (int i = 1; i < threads; ++i) others.emplace_back([&] { context.run(); });
        context.run();
    });
    for (const auto& each : all)
        if (each.left != 0) throw std::runtime_error("some functions did not run");
    clinic::passed();
    return seconds;
}

clinic::verdict check() {
    seconds_with(1);  // the first run fills the caches
    const double one = seconds_with(1), two = seconds_with(2);
    return clinic::measured(two / one, "times the time with one thread");
}

}  // namespace

int main() {
    return clinic::judge(check);
}
