// Tests that repeated coroutines and operations reuse memory, and which errors operations receive if no
// memory is available.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/version.hpp>
#include <cstddef>
#include <functional>
#include <future>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "loop/timers/wheel.hpp"
#include "tests/asio_compat/kits.hpp"
#include "tests/loop/allocations.hpp"
#include "tests/loop/recycled_memory.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using boost::system::error_code;

template <class kit>
class asio_memory : public with_context<kit> {
protected:
    void SetUp() override {
        if (!loop::test::allocations_are_counted) GTEST_SKIP() << loop::test::why_allocations_are_not_counted;
        with_context<kit>::SetUp();
    }
    static std::size_t allocations() { return loop::test::count_allocations().made; }
};
TYPED_TEST_SUITE(asio_memory, kits, kit_names);

template <class kit>
using our_asio_memory = asio_memory<kit>;
TYPED_TEST_SUITE(our_asio_memory, our_kits, kit_names);

TYPED_TEST(asio_memory, timers_and_posts_allocate_no_memory_after_a_warm_up) {
    auto& context = this->context();
    typename TestFixture::timer_type timer(context);
    int left = 0;
    std::function<void(error_code)> again = [&](error_code) {
        if (--left < 0) return;
        timer.expires_after(0ms);
        timer.async_wait([&](error_code error) { again(error); });
        net::post(context, [] {});
    };
    const auto round = [&](int times) {
        left = times;
        context.restart();
        net::post(context, [&] { again({}); });
        context.run();
    };
    round(100);
    const auto before = this->allocations();
    round(1000);
    EXPECT_LE(this->allocations() - before, 4U) << "allocations of a thousand timers and posts";
}

template <class socket>
net::awaitable<std::size_t, typename socket::executor_type> echo(socket stream) {
    const net::use_awaitable_t<typename socket::executor_type> awaited;
    std::array<char, 256> data{};
    std::size_t all = 0;
    for (;;) {
        error_code error;
        const auto count =
            co_await stream.async_read_some(net::buffer(data), net::redirect_error(awaited, error));
        if (error) co_return all;
        co_await net::async_write(stream, net::buffer(data, count), awaited);
        all += count;
    }
}

template <class socket>
net::awaitable<void, typename socket::executor_type> ask(socket& stream, int times) {
    const net::use_awaitable_t<typename socket::executor_type> awaited;
    std::array<char, 64> sent{}, got{};
    for (int i = 0; i < times; ++i) {
        sent.fill(static_cast<char>(i));
        co_await net::async_write(stream, net::buffer(sent), awaited);
        co_await net::async_read(stream, net::buffer(got), awaited);
        if (sent != got) throw std::runtime_error("the received bytes differ from the sent bytes");
    }
}

/// Notes the addresses of the handlers that exist now. A handler is in the memory of its operation.
template <std::size_t further_bytes>
class handler_with_address {
public:
    explicit handler_with_address(std::set<const void*>& addresses, std::function<void()> function)
        : addresses_(&addresses), function_(std::move(function)) {
        addresses_->insert(this);
    }
    handler_with_address(const handler_with_address& other)
        : handler_with_address(*other.addresses_, other.function_) {}
    ~handler_with_address() { addresses_->erase(this); }

    void operator()(error_code) { function_(); }

private:
    std::set<const void*>* addresses_;
    std::function<void()> function_;
    std::array<std::byte, further_bytes> more_{};
};

/// Starts waits in this thread, and starts them again in the thread that runs the context. Returns the
/// addresses of the handlers of all waits after each start.
template <std::size_t further_bytes, class timer, class context_type>
std::array<std::set<const void*>, 2> addresses_of_handlers(context_type& context) {
    using handler = handler_with_address<further_bytes>;
    std::vector<timer> timers;
    while (timers.size() < loop::test::blocks_kept_per_size) timers.emplace_back(context, 0ms);
    std::set<const void*> now, again;
    std::size_t ended = 0;
    for (auto& each : timers) {
        each.async_wait(handler(now, [&] {
            each.expires_after(1h);
            each.async_wait(handler(now, [] {}));
            if (++ended < timers.size()) return;
            again = now;
            for (auto& armed : timers) armed.cancel();
        }));
    }
    const auto first = now;
    std::jthread([&] { context.run(); }).join();
    context.restart();
    return {first, again};
}

// A thread often starts the first operations of several contexts, and their blocks then share cache lines.
// The threads that run the contexts would slow each other down if they used these blocks again and again.
TYPED_TEST(our_asio_memory, a_thread_does_not_use_the_blocks_again_with_which_another_thread_has_started) {
    if (const auto why = loop::test::why_no_blocks_are_kept_per_size(); !why.empty()) GTEST_SKIP() << why;
    using timer = typename TestFixture::timer_type;
    auto& context = this->context();
    // The heap has a list of freed blocks for every 16 bytes of their size.
    for (const auto& [first, again] :
         {addresses_of_handlers<1, timer>(context), addresses_of_handlers<9, timer>(context),
          addresses_of_handlers<17, timer>(context), addresses_of_handlers<25, timer>(context)}) {
        ASSERT_EQ(first.size(), loop::test::blocks_kept_per_size);
        ASSERT_GE(again.size(), loop::test::blocks_kept_per_size);
        for (const void* each : again) EXPECT_FALSE(first.contains(each));
    }
}

TYPED_TEST(asio_memory, coroutines_that_echo_messages_allocate_no_memory_after_a_warm_up) {
    auto& context = this->context();
    auto [client, server] = this->connection();
    std::size_t echoed = 0;
    net::co_spawn(context, echo(std::move(server)), [&](std::exception_ptr failure, std::size_t bytes) {
        EXPECT_FALSE(failure);
        echoed = bytes;
    });
    std::size_t made = 0;
    const auto rounds = [&]() -> net::awaitable<void, typename TestFixture::executor> {
        const net::use_awaitable_t<typename TestFixture::executor> awaited;
        co_await ask(client, 50);
        const auto before = this->allocations();
        co_await net::co_spawn(context, ask(client, 200), awaited);
        made = this->allocations() - before;
        client.close();
    };
    net::co_spawn(context, rounds(), [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
    context.run();
    EXPECT_EQ(echoed, 250U * 64);
    EXPECT_LE(made, 16U) << "allocations of two hundred round trips";
}

TYPED_TEST(asio_memory, spawning_the_same_coroutines_again_allocates_no_memory) {
    using executor_type = typename TestFixture::executor;
    const net::use_awaitable_t<executor_type> awaited;
    auto& context = this->context();
    typename TestFixture::timer_type timer(context);
    const net::ip::udp::endpoint any(net::ip::address_v4::loopback(), 0);
    typename TestFixture::udp_socket one(context, any), other(context, any);
    const auto to = other.local_endpoint();
    const auto child = [&]() -> net::awaitable<int, executor_type> {
        timer.expires_after(0ms);
        co_await timer.async_wait(awaited);
        co_await net::post(context, awaited);
        std::array<char, 4> got{};
        net::ip::udp::endpoint from;
        co_await one.async_send_to(net::buffer("abc", 3), to, awaited);
        co_return static_cast<int>(co_await other.async_receive_from(net::buffer(got), from, awaited));
    };
    std::size_t made = 0;
    int received = 0;
    const auto parent = [&]() -> net::awaitable<void, executor_type> {
        for (int i = 0; i < 100; ++i) received += co_await net::co_spawn(context, child(), awaited);
        const auto before = this->allocations();
        for (int i = 0; i < 1000; ++i) received += co_await net::co_spawn(context, child(), awaited);
        made = this->allocations() - before;
    };
    net::co_spawn(context, parent(), [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
    context.run();
    EXPECT_EQ(received, 3300);
    EXPECT_EQ(made, 0U) << "allocations of a thousand coroutines";
}

int blocks_in_use = 0;

/// An allocator that a program can use only for complete types, because it checks their size.
template <class T>
struct sized_allocator {
    using value_type = T;
    template <class Other>
    struct rebind {
        static_assert(sizeof(Other) <= 8192,
                      "the type is larger than the memory that the program has reserved");
        using other = sized_allocator<Other>;
    };

    sized_allocator() = default;
    template <class Other>
    sized_allocator(const sized_allocator<Other>&) noexcept {}

    T* allocate(std::size_t count) {
        ++blocks_in_use;
        return std::allocator<T>().allocate(count);
    }
    void deallocate(T* block, std::size_t count) noexcept {
        --blocks_in_use;
        std::allocator<T>().deallocate(block, count);
    }
    friend bool operator==(const sized_allocator&, const sized_allocator&) { return true; }
};

struct handler_with_allocator {
    using allocator_type = sized_allocator<int>;
    allocator_type get_allocator() const noexcept { return {}; }
    template <class... Results>
    void operator()(const Results&...) const {
        ++*calls;
    }
    int* calls;
};

template <class kit>
using asio_allocators = with_context<kit>;
TYPED_TEST_SUITE(asio_allocators, kits, kit_names);

TYPED_TEST(asio_allocators, an_allocator_that_needs_complete_types_provides_the_memory_of_operations) {
    auto& context = this->context();
    int calls = 0;
    const handler_with_allocator handler{&calls};
    auto [one, other] = this->connection();
    typename TestFixture::timer_type timer(context, 1ms);
    std::array<char, 1> byte{};
    blocks_in_use = 0;
    timer.async_wait(handler);
    EXPECT_EQ(blocks_in_use, 1);
    one.async_read_some(net::buffer(byte), handler);
    other.async_write_some(net::buffer("x", 1), handler);
    net::post(context, handler);
    EXPECT_GE(blocks_in_use, 4);
    context.run();
    EXPECT_EQ(calls, 4);
    EXPECT_EQ(blocks_in_use, 0);
}

/// A few blocks that the test has reserved.
class block_pool {
public:
    void* take() {
        for (auto& each : blocks_)
            if (!std::exchange(each.is_used, true)) return each.bytes.data();
        throw std::bad_alloc();
    }
    void give_back(void* bytes) noexcept {
        for (auto& each : blocks_)
            if (each.bytes.data() == bytes) each.is_used = false;
    }

private:
    struct block {
        alignas(std::max_align_t) std::array<std::byte, 1024> bytes;
        bool is_used = false;
    };
    std::array<block, 16> blocks_;
};

/// An allocator that takes all memory from a pool, so that it never calls operator new.
template <class T>
struct pool_allocator {
    using value_type = T;

    explicit pool_allocator(block_pool& where) : pool(&where) {}
    template <class Other>
    pool_allocator(const pool_allocator<Other>& other) noexcept : pool(other.pool) {}

    T* allocate(std::size_t count) {
        return count * sizeof(T) <= 1024 ? static_cast<T*>(pool->take()) : throw std::bad_alloc();
    }
    void deallocate(T* block, std::size_t) noexcept { pool->give_back(block); }
    friend bool operator==(const pool_allocator& a, const pool_allocator& b) { return a.pool == b.pool; }

    block_pool* pool;
};

/// Writes a byte, reads it and waits for a timer, again and again. All its handlers use the pool.
template <class timer_type, class socket_type>
struct pooled_chain {
    using allocator_type = pool_allocator<int>;
    struct parts {
        timer_type timer;
        socket_type one, other;
        block_pool pool = {};
        std::array<char, 1> byte{};
        int left = 0;
        int calls = 0;
    };

    allocator_type get_allocator() const noexcept { return allocator_type(all->pool); }

    void start() const {
        all->other.async_write_some(net::buffer("x", 1), *this);
        all->one.async_read_some(net::buffer(all->byte), *this);
        all->timer.expires_after(0ms);
        all->timer.async_wait(*this);
    }
    void operator()(error_code) const {
        ++all->calls;
        if (--all->left > 0) start();
    }
    void operator()(error_code, std::size_t) const { ++all->calls; }

    parts* all;
};

TYPED_TEST(asio_memory, only_the_allocators_of_handlers_provide_memory_for_operations_that_start_in_run) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    using chain = pooled_chain<typename TestFixture::timer_type, decltype(one)>;
    typename chain::parts parts{typename TestFixture::timer_type(context), std::move(one), std::move(other)};
    const auto round = [&](int times) {
        parts.left = times;
        parts.calls = 0;
        context.restart();
        net::post(context, [&] { chain{&parts}.start(); });
        context.run();
        EXPECT_EQ(parts.calls, 3 * times);
    };
    round(100);
    const auto before = this->allocations();
    round(1000);
    EXPECT_LE(this->allocations() - before, 4U) << "allocations of three thousand operations";
}

TYPED_TEST(asio_memory,
           an_operation_that_starts_outside_run_allocates_at_most_one_block_beside_its_allocator) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    using chain = pooled_chain<typename TestFixture::timer_type, decltype(one)>;
    typename chain::parts parts{typename TestFixture::timer_type(context), std::move(one), std::move(other)};
    std::size_t most = 0;
    for (int i = 0; i < 10; ++i) {
        parts.left = 1;
        context.restart();
        const auto before = this->allocations();
        chain{&parts}.start();
        const auto made = this->allocations() - before;
        if (i > 0) most = std::max(most, made);  // the first one warms up
        context.run();
    }
    EXPECT_EQ(parts.calls, 30);
    EXPECT_LE(most, 3U) << "allocations of three operations";
}

/// An allocator that records the size of the largest block that it has provided.
template <class T>
struct measuring_allocator {
    using value_type = T;

    explicit measuring_allocator(std::size_t& largest) : bytes_max(&largest) {}
    template <class Other>
    measuring_allocator(const measuring_allocator<Other>& other) noexcept : bytes_max(other.bytes_max) {}

    T* allocate(std::size_t count) {
        *bytes_max = std::max(*bytes_max, count * sizeof(T));
        return std::allocator<T>().allocate(count);
    }
    void deallocate(T* block, std::size_t count) noexcept { std::allocator<T>().deallocate(block, count); }
    friend bool operator==(const measuring_allocator& a, const measuring_allocator& b) {
        return a.bytes_max == b.bytes_max;
    }

    std::size_t* bytes_max;
};

struct measured_handler {
    using allocator_type = measuring_allocator<int>;
    allocator_type get_allocator() const noexcept { return allocator_type(*bytes_max); }
    template <class... Results>
    void operator()(const Results&...) const {}
    std::size_t* bytes_max;
};

/// Returns the sizes of the largest blocks that a timer, a read, a write and a post request from the
/// allocators of their handlers.
template <class kit>
std::array<std::size_t, 4> bytes_of_operations(typename kit::context& context) {
    using executor = typename kit::context::executor_type;
    net::basic_waitable_timer<std::chrono::steady_clock, net::wait_traits<std::chrono::steady_clock>,
                              executor>
        timer(context, 1ms);
    net::basic_stream_socket<net::local::stream_protocol, executor> one(context), other(context);
    net::local::connect_pair(one, other);
    std::array<char, 1> byte{};
    std::array<std::size_t, 4> bytes{};
    timer.async_wait(measured_handler{&bytes[0]});
    one.async_read_some(net::buffer(byte), measured_handler{&bytes[1]});
    other.async_write_some(net::buffer("x", 1), measured_handler{&bytes[2]});
    net::post(context, measured_handler{&bytes[3]});
    context.run();
    return bytes;
}

TYPED_TEST(asio_allocators, handlers_need_no_larger_blocks_of_their_allocators_than_on_asios_own_context) {
    const auto bytes = bytes_of_operations<TypeParam>(this->context());
    const auto bytes_on_stock = bytes_of_operations<stock>(*stock::make());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        EXPECT_GT(bytes[i], 0U) << "operation " << i << " did not use the allocator of its handler";
        EXPECT_LE(bytes[i], bytes_on_stock[i]) << "operation " << i;
    }
}

TYPED_TEST(asio_allocators, the_context_frees_the_memory_of_pending_operations_with_their_allocators) {
    int calls = 0;
    blocks_in_use = 0;
    {
        auto [one, other] = this->connection();
        std::array<char, 1> byte{};
        one.async_read_some(net::buffer(byte), handler_with_allocator{&calls});
        this->context().poll();
        EXPECT_EQ(blocks_in_use, 1);
    }
    this->destroy_context();
    EXPECT_EQ(blocks_in_use, 0);
    EXPECT_EQ(calls, 0);
}

#if BOOST_VERSION / 100 <= 1083  // later versions have no hooks
struct hook_counts {
    int in_use = 0;
    int allocated = 0;
    int invoked = 0;
    int called = 0;
};

struct hooked_handler {
    template <class... Results>
    void operator()(const Results&...) const {
        ++counts->called;
    }
    hook_counts* counts;
};

void* asio_handler_allocate(std::size_t bytes, hooked_handler* handler) {
    ++handler->counts->in_use;
    ++handler->counts->allocated;
    return ::operator new(bytes);
}
void asio_handler_deallocate(void* block, std::size_t, hooked_handler* handler) {
    --handler->counts->in_use;
    ::operator delete(block);
}
template <class Function>
void asio_handler_invoke(Function&& function, hooked_handler* handler) {
    ++handler->counts->invoked;
    function();
}

TYPED_TEST(asio_allocators, the_hooks_of_a_handler_allocate_its_operations_and_call_it) {
    auto& context = this->context();
    auto [one, other] = this->connection();
    typename TestFixture::timer_type timer(context, 1ms);
    std::array<char, 8> bytes{};
    hook_counts counts;
    const hooked_handler handler{&counts};
    timer.async_wait(handler);
    EXPECT_EQ(counts.allocated, 1);
    one.async_read_some(net::buffer(bytes, 4), handler);
    net::async_read(other, net::buffer(bytes), handler);
    EXPECT_EQ(counts.allocated, 3) << "composed operations must use the hooks of the handler, too";
    net::write(other, net::buffer("four", 4));
    net::write(one, net::buffer("at last!", 8));
    context.run();
    EXPECT_EQ(counts.called, 3);
    EXPECT_GE(counts.invoked, 3);
    EXPECT_EQ(counts.in_use, 0);
}

TYPED_TEST(asio_allocators,
           a_context_frees_the_memory_of_pending_operations_with_the_hooks_of_their_handlers) {
    hook_counts counts;
    {
        auto [one, other] = this->connection();
        std::array<char, 8> bytes{};
        net::async_read(one, net::buffer(bytes), hooked_handler{&counts});
        this->context().poll();
        EXPECT_EQ(counts.in_use, 1);
    }
    this->destroy_context();
    EXPECT_EQ(counts.in_use, 0);
    EXPECT_EQ(counts.called, 0);
}
#endif

template <class kit>
class asio_without_memory : public asio_memory<kit> {
protected:
    struct still_clock {
        using rep = std::int64_t;
        using period = std::nano;
        using duration = std::chrono::nanoseconds;
        using time_point = std::chrono::time_point<still_clock>;
        static constexpr bool is_steady = true;
        static time_point now() noexcept { return {}; }
    };
    using still_timer = net::basic_waitable_timer<still_clock, net::wait_traits<still_clock>,
                                                  typename with_context<kit>::executor>;

    /// Calls `first` while no memory is available. At that moment, the timers of the waits on still_clock
    /// have fired, but the waits are not checked again yet.
    template <class First>
    void run_before_what_is_looked_at_again(First first) {
        typename with_context<kit>::timer_type timer(this->context(), 0ms);
        timer.async_wait([&](error_code) {
            nothing_is_left_.emplace();
            fill_kept_chunks();
            none_.emplace();
            first();
        });
        std::this_thread::sleep_for(2ms);
        this->context().poll();
        none_.reset();
        far_.clear();
        this->context().poll();
    }
    void TearDown() override { none_.reset(); }

private:
    /// Arms timers in all chunks that the timing wheel keeps, so that the next timer with another deadline
    /// needs new memory. Each timer allocates one operation.
    void fill_kept_chunks() {
        const auto far = std::chrono::steady_clock::now() + 1000h;
        constexpr std::size_t timers_per_slab =
            loop::detail::timer_chunk::capacity * loop::detail::chunk_store::chunks_per_slab;
        far_.reserve(2 * timers_per_slab);
        const auto arms_without_new_slab = [&] {
            const std::size_t before = loop::test::count_allocations().made;
            far_.emplace_back(this->context(), far).async_wait([](error_code) {});
            return loop::test::count_allocations().made - before == 1;
        };
        while (arms_without_new_slab()) ASSERT_LE(far_.size(), timers_per_slab);
        for (std::size_t i = 1; i < timers_per_slab; ++i) ASSERT_TRUE(arms_without_new_slab());
    }

    std::vector<typename with_context<kit>::timer_type> far_;
    std::optional<loop::test::nothing_recycled> nothing_is_left_;
    std::optional<loop::test::out_of_memory> none_;
};
TYPED_TEST_SUITE(asio_without_memory, our_kits, kit_names);

TYPED_TEST(asio_without_memory,
           a_timers_remaining_wait_reports_an_error_if_rearming_after_a_cancellation_lacks_memory) {
    auto& context = this->context();
    typename TestFixture::still_timer one(context, 1ms), other(context, 1ms);
    std::array<error_code, 4> ended;
    net::cancellation_signal stop;
    const auto notes = [&](std::size_t i) { return [&ended, i](error_code error) { ended[i] = error; }; };
    one.async_wait(notes(0));
    one.async_wait(notes(1));
    other.async_wait(net::bind_cancellation_slot(stop.slot(), notes(2)));
    other.async_wait(notes(3));
    this->run_before_what_is_looked_at_again([&] {
        one.cancel_one();
        stop.emit(net::cancellation_type::all);
    });
    EXPECT_EQ(ended[0], net::error::operation_aborted);
    EXPECT_EQ(ended[1], net::error::no_memory);
    EXPECT_EQ(ended[2], net::error::operation_aborted);
    EXPECT_EQ(ended[3], net::error::no_memory);
    EXPECT_TRUE(context.stopped()) << "a context without work must be stopped";
}

TYPED_TEST(asio_without_memory, all_waits_of_a_timer_report_an_error_if_rearming_the_timer_lacks_memory) {
    auto& context = this->context();
    typename TestFixture::still_timer timer(context, 1ms);
    std::array<error_code, 2> ended;
    for (auto& each : ended) timer.async_wait([&each](error_code error) { each = error; });
    this->run_before_what_is_looked_at_again([] {});
    for (const auto& each : ended) EXPECT_EQ(each, net::error::no_memory);
    EXPECT_TRUE(context.stopped()) << "a context without work must be stopped";
}

TYPED_TEST(asio_without_memory, a_new_timer_wait_reports_an_error_if_arming_the_timer_lacks_memory) {
    auto& context = this->context();
    typename TestFixture::timer_type timer(context, 1h);
    error_code ended;
    {
        const loop::test::nothing_recycled from_the_heap;
        const loop::test::out_of_memory none(/*few=*/1);
        timer.async_wait([&](error_code error) { ended = error; });
    }
    context.poll();
    EXPECT_EQ(ended, net::error::no_memory);
    EXPECT_TRUE(context.stopped()) << "a context without work must be stopped";
}

TYPED_TEST(asio_without_memory,
           closing_a_socket_from_another_thread_without_memory_succeeds_or_reports_an_error) {
    auto& context = this->context();
    auto guard = net::make_work_guard(context);
    auto [one, other] = this->connection();
    std::thread running([&] { context.run(); });
    std::promise<void> runs;
    net::post(context, [&] { runs.set_value(); });
    runs.get_future().wait();
    const int number = one.native_handle();
    error_code failed;
    {
        const loop::test::out_of_memory none;
        one.close(failed);
    }
    guard.reset();
    running.join();
    EXPECT_EQ(failed == net::error::no_memory, ::fcntl(number, F_GETFD) != -1);
    if (failed) ::close(number);
}

}  // namespace

}  // namespace loopbench::tests
