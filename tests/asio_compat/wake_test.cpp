// Tests the destruction of a context while another thread, whose call has ended run(), still wakes the loop.
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "tests/asio_compat/kits.hpp"
#include "tests/real_calls.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

/// Delays the writes of one thread to eventfds, with which the thread wakes loops.
struct delayed_wakes {
    static inline thread_local delayed_wakes* of_this_thread = nullptr;

    /// Waits until the context is destroyed, or until 20 ms have passed.
    void before_wake() {
        const auto latest = std::chrono::steady_clock::now() + 20ms;
        while (!context_is_destroyed && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
        were_too_late |= context_is_destroyed;
    }

    std::atomic<bool> context_is_destroyed = false;
    bool were_too_late = false;
};

}  // namespace

extern "C" ssize_t __wrap_write(int fd, const void* data, size_t size) {
    auto* const delayed = delayed_wakes::of_this_thread;
    if (delayed != nullptr && size == sizeof(std::uint64_t)) delayed->before_wake();
    return __real_write(fd, data, size);
}

namespace {

/// Wakes the context every millisecond. Destroyed with the context.
template <class timer_type>
struct ticks {
    void operator()(error_code error) {
        if (error) return;
        timer_type& again = *timer;
        again.expires_after(1ms);
        again.async_wait(std::move(*this));
    }
    std::shared_ptr<timer_type> timer;
};

template <class kit>
class asio_wakes : public with_context<kit> {
protected:
    using timer_type = typename with_context<kit>::timer_type;

    /// Runs the context in another thread until a handler stops it, and then destroys it there. Meanwhile,
    /// this thread calls `act`, which must cause such a handler.
    template <class Act>
    void expect_no_late_wake(Act act) {
        delayed_wakes delayed;
        ticks<timer_type>{std::make_shared<timer_type>(this->context())}(error_code());
        std::atomic<bool> runs = false;
        net::post(this->context(), [&] { runs = true; });
        std::thread running([&] {
            this->context().run();
            this->destroy_context();
            delayed.context_is_destroyed = true;
        });
        while (!runs) std::this_thread::yield();
        delayed_wakes::of_this_thread = &delayed;
        act(this->context());
        delayed_wakes::of_this_thread = nullptr;
        running.join();
        EXPECT_FALSE(delayed.were_too_late) << "the descriptor can belong to another file already";
    }
};
TYPED_TEST_SUITE(asio_wakes, kits, kit_names);

TYPED_TEST(asio_wakes, a_post_that_ends_the_context_wakes_no_closed_descriptor) {
    this->expect_no_late_wake([](auto& context) { net::post(context, [&context] { context.stop(); }); });
}

TYPED_TEST(asio_wakes, a_stop_wakes_no_closed_descriptor) {
    this->expect_no_late_wake([](auto& context) { context.stop(); });
}

TYPED_TEST(asio_wakes, a_timer_that_another_thread_starts_can_end_the_context) {
    this->expect_no_late_wake([](auto& context) {
        auto timer = std::make_shared<typename TestFixture::timer_type>(context, 0ms);
        auto& started = *timer;
        started.async_wait([&context, owned = std::move(timer)](error_code) { context.stop(); });
    });
}

TYPED_TEST(asio_wakes, a_read_that_another_thread_cancels_can_end_the_context) {
    auto ends = this->connection();
    auto socket = std::make_shared<typename TestFixture::tcp_socket>(std::move(ends.first));
    const int other = ends.second.release();
    const auto byte = std::make_shared<std::array<char, 1>>();
    auto& cancelled = *socket;
    auto& context = this->context();
    cancelled.async_read_some(net::buffer(*byte), [&context, byte, owned = std::move(socket)](
                                                      error_code, std::size_t) { context.stop(); });
    this->expect_no_late_wake([&](auto&) { cancelled.cancel(); });
    ::close(other);
}

}  // namespace

}  // namespace loopbench::tests
