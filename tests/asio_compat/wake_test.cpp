// Tests the destruction of a context while another thread, whose call has ended run(), still wakes the loop.
#include <sys/types.h>

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>

#include "loop/io/fd.hpp"
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
        was_delayed = true;
        const auto latest = std::chrono::steady_clock::now() + 20ms;
        while (!context_is_destroyed && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
        were_too_late |= context_is_destroyed;
    }

    std::atomic<bool> context_is_destroyed = false;
    bool was_delayed = false;
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

    /// Calls `prepare`, and runs the context in another thread until a handler stops it. Then destroys the
    /// context there. Meanwhile, this thread calls the function that `prepare` has returned, which must cause
    /// such a handler. Repeats this with new contexts until a wake-up call was delayed: a loop that does not
    /// sleep at that moment needs no such call. (Asio's own context never makes one.)
    template <class Prepare>
    void expect_no_late_wake(Prepare prepare) {
        constexpr int attempts_max = 100;
        for (int attempt = 0; attempt < attempts_max; ++attempt, this->make_context()) {
            if (delays_a_wake(prepare()) || std::same_as<kit, stock>) return;
        }
        FAIL() << "no wake-up call was delayed";
    }

private:
    template <class Act>
    bool delays_a_wake(Act act) {
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
        return delayed.was_delayed;
    }
};
TYPED_TEST_SUITE(asio_wakes, kits, kit_names);

TYPED_TEST(asio_wakes, a_post_that_ends_the_context_wakes_no_closed_descriptor) {
    this->expect_no_late_wake(
        [] { return [](auto& context) { net::post(context, [&context] { context.stop(); }); }; });
}

TYPED_TEST(asio_wakes, a_stop_wakes_no_closed_descriptor) {
    this->expect_no_late_wake([] { return [](auto& context) { context.stop(); }; });
}

TYPED_TEST(asio_wakes, a_timer_that_another_thread_starts_can_end_the_context) {
    this->expect_no_late_wake([] {
        return [](auto& context) {
            auto timer = std::make_shared<typename TestFixture::timer_type>(context, 0ms);
            auto& started = *timer;
            started.async_wait([&context, owned = std::move(timer)](error_code) { context.stop(); });
        };
    });
}

TYPED_TEST(asio_wakes, a_read_that_another_thread_cancels_can_end_the_context) {
    this->expect_no_late_wake([this] {
        auto ends = this->connection();
        auto socket = std::make_shared<typename TestFixture::tcp_socket>(std::move(ends.first));
        const auto other = std::make_shared<loop::unique_fd>(ends.second.release());
        const auto byte = std::make_shared<std::array<char, 1>>();
        auto& cancelled = *socket;
        auto& context = this->context();
        cancelled.async_read_some(net::buffer(*byte), [&context, byte, owned = std::move(socket)](
                                                          error_code, std::size_t) { context.stop(); });
        return [&cancelled, other](auto&) { cancelled.cancel(); };
    });
}

TYPED_TEST(asio_wakes, a_read_whose_socket_another_thread_closes_can_end_the_context) {
    if (std::same_as<TypeParam, stock>) GTEST_SKIP() << "Asio's own context does not wait for close()";
    this->expect_no_late_wake([this] {
        using socket_type = typename TestFixture::tcp_socket;
        struct never_destroyed {  // the socket lives as long as its close(), longer than the context
            alignas(socket_type) std::byte memory[sizeof(socket_type)];
        };
        auto ends = this->connection();
        const auto other = std::make_shared<loop::unique_fd>(ends.second.release());
        const auto place = std::make_shared<never_destroyed>();
        auto& closed = *::new (place->memory) socket_type(std::move(ends.first));
        const auto byte = std::make_shared<std::array<char, 1>>();
        auto& context = this->context();
        closed.async_read_some(net::buffer(*byte),
                               [&context, byte](error_code, std::size_t) { context.stop(); });
        return [&closed, place, other](auto&) { closed.close(); };
    });
}

}  // namespace

}  // namespace loopbench::tests
