// Tests Asio's files, which exist only in programs that are compiled with BOOST_ASIO_HAS_IO_URING.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/basic_random_access_file.hpp>
#include <boost/asio/basic_stream_file.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_at.hpp>
#include <boost/asio/write.hpp>
#include <boost/asio/write_at.hpp>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "loop/io/fd.hpp"
#include "tests/asio_compat/kits.hpp"

namespace loopbench::tests {

namespace {

using namespace std::string_literals;
using boost::system::error_code;
using net::file_base;

std::atomic<int> calls_of_preadv2 = 0;

}  // namespace

extern "C" ssize_t __real_preadv2(int, const iovec*, int, off_t, int);
extern "C" ssize_t __wrap_preadv2(int fd, const iovec* parts, int count, off_t position, int flags) {
    ++calls_of_preadv2;
    return __real_preadv2(fd, parts, count, position, flags);
}

namespace {

std::string path_of(const loop::unique_fd& fd) {
    return "/proc/self/fd/" + std::to_string(fd.get());
}

template <class kit>
class asio_file : public with_context<kit> {
protected:
    using stream_file = net::basic_stream_file<typename with_context<kit>::executor>;
    using random_access_file = net::basic_random_access_file<typename with_context<kit>::executor>;

    asio_file() : in_memory(loop::checked(::memfd_create("file_test", MFD_CLOEXEC), "memfd_create")) {}

    void run() {
        this->context().restart();
        this->context().run();
    }
    std::string path() const { return path_of(in_memory); }
    std::string content() const {
        std::string all(static_cast<std::size_t>(::lseek(in_memory.get(), 0, SEEK_END)), ' ');
        EXPECT_EQ(::pread(in_memory.get(), all.data(), all.size(), 0), static_cast<ssize_t>(all.size()));
        return all;
    }
    void fill(const std::string& text) const {
        EXPECT_EQ(::pwrite(in_memory.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    }

    loop::unique_fd in_memory;
};
TYPED_TEST_SUITE(asio_file, kits, kit_names);

/// The result of a transfer, as its handler receives it.
struct outcome {
    error_code error = net::error::in_progress;
    std::size_t bytes = 0;
    int calls = 0;

    auto handler() {
        return [this](error_code ec, std::size_t count) {
            error = ec;
            bytes = count;
            ++calls;
        };
    }
};

TYPED_TEST(asio_file, a_stream_reads_and_writes_at_its_position_until_the_end_of_the_file) {
    typename TestFixture::stream_file file(this->context(), this->path(), file_base::read_write);
    outcome written, read, at_end;
    file.async_write_some(net::buffer("0123456789", 10), written.handler());
    this->run();
    EXPECT_EQ(written.bytes, 10U);
    EXPECT_EQ(file.seek(0, file_base::seek_cur), 10U);
    EXPECT_EQ(file.seek(-6, file_base::seek_end), 4U);
    std::array<char, 100> got{};
    file.async_read_some(net::buffer(got), read.handler());
    this->run();
    EXPECT_FALSE(read.error) << read.error.message();
    EXPECT_EQ(std::string(got.data(), read.bytes), "456789");
    file.async_read_some(net::buffer(got), at_end.handler());
    this->run();
    EXPECT_EQ(at_end.error, net::error::eof);
    EXPECT_EQ(at_end.bytes, 0U);
}

TYPED_TEST(asio_file, synchronous_and_asynchronous_transfers_share_the_position) {
    this->fill("abcdef");
    typename TestFixture::stream_file file(this->context(), this->path(), file_base::read_write);
    std::array<char, 2> first{}, second{}, third{};
    EXPECT_EQ(file.read_some(net::buffer(first)), 2U);
    outcome read;
    file.async_read_some(net::buffer(second), read.handler());
    this->run();
    EXPECT_EQ(file.read_some(net::buffer(third)), 2U);
    EXPECT_EQ(std::string(first.data(), 2) + std::string(second.data(), 2) + std::string(third.data(), 2),
              "abcdef");
    EXPECT_EQ(net::write(file, net::buffer("gh", 2)), 2U);
    EXPECT_EQ(this->content(), "abcdefgh");
}

TYPED_TEST(asio_file, several_buffers_are_transferred_together) {
    typename TestFixture::stream_file file(this->context(), this->path(), file_base::read_write);
    const auto one = "one "s, two = "two "s, three = "three"s;
    outcome written, read;
    file.async_write_some(std::array{net::buffer(one), net::buffer(two), net::buffer(three)},
                          written.handler());
    this->run();
    EXPECT_EQ(written.bytes, 13U);
    EXPECT_EQ(this->content(), "one two three");
    std::string here(3, ' '), there(10, ' ');
    file.seek(0, file_base::seek_set);
    file.async_read_some(std::array{net::buffer(here), net::buffer(there)}, read.handler());
    this->run();
    EXPECT_EQ(read.bytes, 13U);
    EXPECT_EQ(here + there, "one two three");
}

TYPED_TEST(asio_file, appending_ignores_the_position) {
    this->fill("begin");
    typename TestFixture::stream_file file(this->context(), this->path(),
                                           file_base::write_only | file_base::append);
    for (const std::string text : {" middle", " end"}) {
        file.seek(0, file_base::seek_set);
        outcome written;
        net::async_write(file, net::buffer(text), written.handler());
        this->run();
        EXPECT_EQ(written.bytes, text.size());
    }
    EXPECT_EQ(this->content(), "begin middle end");
}

TYPED_TEST(asio_file, offsets_can_exceed_32_bits) {
    typename TestFixture::random_access_file file(this->context(), this->path(), file_base::read_write);
    for (const std::uint64_t offset : {std::uint64_t{1} << 31, (std::uint64_t{1} << 32) + 5}) {
        outcome written, read, before;
        std::array<char, 8> got{};
        char zero = 'x';
        file.async_write_some_at(offset, net::buffer("far away", 8), written.handler());
        this->run();
        EXPECT_EQ(written.bytes, 8U);
        EXPECT_EQ(file.size(), offset + 8);
        file.async_read_some_at(offset, net::buffer(got), read.handler());
        file.async_read_some_at(offset - 1, net::buffer(&zero, 1), before.handler());
        this->run();
        EXPECT_EQ(std::string(got.data(), read.bytes), "far away");
        EXPECT_EQ(zero, '\0');
        EXPECT_EQ(file.read_some_at(offset + 4, net::buffer(got)), 4U);
        EXPECT_EQ(std::string(got.data(), 4), "away");
    }
}

TYPED_TEST(asio_file, composed_transfers_continue_until_everything_is_transferred_or_the_file_ends) {
    typename TestFixture::random_access_file file(this->context(), this->path(), file_base::read_write);
    std::string sent(1 << 20, ' ');
    std::iota(sent.begin(), sent.end(), '\0');
    outcome written, read, too_much;
    net::async_write_at(file, 7, net::buffer(sent), written.handler());
    this->run();
    EXPECT_FALSE(written.error) << written.error.message();
    EXPECT_EQ(written.bytes, sent.size());
    std::string got(sent.size(), ' '), longer(sent.size() + 1, ' ');
    net::async_read_at(file, 7, net::buffer(got), read.handler());
    net::async_read_at(file, 7, net::buffer(longer), too_much.handler());
    this->run();
    EXPECT_FALSE(read.error) << read.error.message();
    EXPECT_TRUE(got == sent);
    EXPECT_EQ(too_much.error, net::error::eof);
    EXPECT_EQ(too_much.bytes, sent.size());
    EXPECT_EQ(net::write_at(file, 7 + sent.size(), net::buffer("!", 1)), 1U);
    EXPECT_EQ(net::read_at(file, 7, net::buffer(longer)), longer.size());
    EXPECT_TRUE(longer == sent + "!");
}

TYPED_TEST(asio_file, an_empty_buffer_is_transferred_even_at_the_end_of_the_file) {
    typename TestFixture::stream_file file(this->context(), this->path(), file_base::read_write);
    outcome written, read;
    file.async_write_some(net::buffer("", 0), written.handler());
    file.async_read_some(net::mutable_buffer(), read.handler());
    this->run();
    for (const outcome& each : {written, read}) {
        EXPECT_EQ(each.calls, 1);
        EXPECT_FALSE(each.error) << each.error.message();
    }
}

TYPED_TEST(asio_file, a_file_can_be_resized_and_synchronised) {
    this->fill("0123456789");
    typename TestFixture::stream_file file(this->context(), this->path(), file_base::read_write);
    EXPECT_EQ(file.size(), 10U);
    file.resize(4);
    EXPECT_EQ(this->content(), "0123");
    file.resize(6);
    EXPECT_EQ(this->content(), "0123\0\0"s);
    EXPECT_NO_THROW(file.sync_data());
    EXPECT_NO_THROW(file.sync_all());
    error_code error;
    file.seek(-1, file_base::seek_set, error);
    EXPECT_EQ(error, net::error::invalid_argument);
}

TYPED_TEST(asio_file, a_closed_file_reports_errors) {
    typename TestFixture::stream_file file(this->context());
    error_code error;
    const auto expect_closed = [&] {
        EXPECT_EQ(error, net::error::bad_descriptor);
        error.clear();
    };
    for (const bool was_open : {false, true}) {
        if (was_open) {
            file.open(this->path(), file_base::read_only);
            outcome ignored;
            char byte = ' ';
            file.async_read_some(net::buffer(&byte, 1), ignored.handler());
            this->run();
            file.close();
        }
        EXPECT_EQ(file.size(error), 0U);
        expect_closed();
        file.resize(1, error);
        expect_closed();
        file.sync_all(error);
        expect_closed();
        file.sync_data(error);
        expect_closed();
        file.seek(0, file_base::seek_set, error);
        expect_closed();
        char byte = ' ';
        file.read_some(net::buffer(&byte, 1), error);
        expect_closed();
        outcome read;
        file.async_read_some(net::buffer(&byte, 1), read.handler());
        this->run();
        EXPECT_EQ(read.error, net::error::bad_descriptor);
    }
}

TYPED_TEST(asio_file, opening_a_file_reports_why_it_fails) {
    typename TestFixture::stream_file file(this->context());
    error_code error;
    file.open("/nothing/here", file_base::read_only, error);
    EXPECT_EQ(error, error_code(ENOENT, boost::system::system_category()));
    file.open(this->path(), file_base::write_only | file_base::create | file_base::exclusive, error);
    EXPECT_EQ(error, error_code(EEXIST, boost::system::system_category()));
    EXPECT_FALSE(file.is_open());
    file.open(this->path(), file_base::read_only, error);
    EXPECT_FALSE(error) << error.message();
    file.open(this->path(), file_base::read_only, error);
    EXPECT_EQ(error, net::error::already_open);
    outcome refused;
    file.async_write_some(net::buffer("x", 1), refused.handler());
    this->run();
    EXPECT_EQ(refused.error, net::error::bad_descriptor);
}

TYPED_TEST(asio_file, an_open_file_can_be_moved_released_and_assigned) {
    this->fill("moved");
    using file_type = typename TestFixture::stream_file;
    file_type first(this->context(), this->path(), file_base::read_only);
    file_type second(std::move(first));
    first = std::move(second);
    EXPECT_FALSE(second.is_open());
    file_type third(this->context(), first.release());
    EXPECT_FALSE(first.is_open());
    std::array<char, 8> got{};
    outcome read;
    third.async_read_some(net::buffer(got), read.handler());
    this->run();
    EXPECT_EQ(std::string(got.data(), read.bytes), "moved");
}

/// Two connected descriptors, of which the first one waits for data.
struct waiting_pair {
    const char* name;
    loop::unique_fd reader;
    loop::unique_fd writer;
    std::string sent;
};

/// Makes descriptors of each kind whose reads block until there is data.
std::vector<waiting_pair> waiting_pairs() {
    std::vector<waiting_pair> all;
    int ends[2];
    loop::checked(::pipe2(ends, O_CLOEXEC), "pipe2");
    all.push_back({"pipe", loop::unique_fd(ends[0]), loop::unique_fd(ends[1]), "piped"});
    loop::checked(::pipe2(ends, O_CLOEXEC), "pipe2");
    const loop::unique_fd pipe(ends[0]);
    all.push_back({"named pipe", loop::unique_fd(::open(path_of(pipe).c_str(), O_RDONLY | O_CLOEXEC)),
                   loop::unique_fd(ends[1]), "named"});
    loop::checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "socketpair");
    all.push_back({"socket", loop::unique_fd(ends[0]), loop::unique_fd(ends[1]), "sent"});
    loop::unique_fd terminal(loop::checked(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), "posix_openpt"));
    loop::checked(::grantpt(terminal.get()), "grantpt");
    loop::checked(::unlockpt(terminal.get()), "unlockpt");
    std::array<char, 64> device{};
    loop::checked(::ptsname_r(terminal.get(), device.data(), device.size()), "ptsname_r");
    all.push_back({"terminal", loop::unique_fd(::open(device.data(), O_RDWR | O_NOCTTY | O_CLOEXEC)),
                   std::move(terminal), "a line\n"});
    loop::unique_fd counter(loop::checked(::eventfd(0, EFD_CLOEXEC), "eventfd"));
    all.push_back(
        {"eventfd", loop::unique_fd(::dup(counter.get())), std::move(counter), "\1\0\0\0\0\0\0\0"s});
    return all;
}

TYPED_TEST(asio_file, a_read_that_waits_for_data_does_not_block_the_loop) {
    for (waiting_pair& each : waiting_pairs()) {
        SCOPED_TRACE(each.name);
        typename TestFixture::stream_file file(this->context(), each.reader.release());
        std::array<char, 64> got{};
        outcome read;
        file.async_read_some(net::buffer(got), read.handler());
        this->context().restart();
        this->context().poll();
        EXPECT_EQ(read.calls, 0);
        net::post(this->context(), [&] {
            EXPECT_EQ(::write(each.writer.get(), each.sent.data(), each.sent.size()),
                      static_cast<ssize_t>(each.sent.size()));
        });
        this->run();
        EXPECT_FALSE(read.error) << read.error.message();
        EXPECT_EQ(std::string(got.data(), read.bytes), each.sent);
    }
}

TYPED_TEST(asio_file, a_write_that_waits_for_space_does_not_block_the_loop) {
    int ends[2];
    loop::checked(::pipe2(ends, O_CLOEXEC), "pipe2");
    const loop::unique_fd reader(ends[0]);
    typename TestFixture::stream_file file(this->context(), ends[1]);
    const std::string much(1 << 20, 'm');
    outcome written;
    net::async_write(file, net::buffer(much), written.handler());
    this->context().poll();
    EXPECT_EQ(written.calls, 0);
    std::size_t received = 0;
    std::jthread drain([&] {
        std::array<char, 1 << 16> place{};
        while (received < much.size())
            received += static_cast<std::size_t>(
                loop::checked(static_cast<int>(::read(reader.get(), place.data(), place.size())), "read"));
    });
    this->run();
    drain.join();
    EXPECT_FALSE(written.error) << written.error.message();
    EXPECT_EQ(received, much.size());
}

TYPED_TEST(asio_file, a_pending_read_can_be_cancelled_in_every_way_and_loses_no_bytes) {
    for (const bool is_in_long_run : {false, true}) {
        int ends[2];
        loop::checked(::pipe2(ends, O_CLOEXEC), "pipe2");
        typename TestFixture::stream_file file(this->context(), ends[0]);
        const loop::unique_fd writer(ends[1]);
        std::array<char, 4> got{};
        net::cancellation_signal signal;
        const std::array<std::function<void()>, 2> cancels{
            [&] { file.cancel(); }, [&] { signal.emit(net::cancellation_type::total); }};
        for (const auto& cancel : cancels) {
            outcome read, next;
            file.async_read_some(net::buffer(got),
                                 net::bind_cancellation_slot(signal.slot(), read.handler()));
            this->context().restart();
            if (is_in_long_run) {
                net::post(this->context(), [&] { net::post(this->context(), cancel); });
            } else {
                this->context().poll();
                cancel();
            }
            this->run();
            EXPECT_EQ(read.calls, 1);
            EXPECT_EQ(read.error, net::error::operation_aborted);
            EXPECT_EQ(::write(writer.get(), "next", 4), 4);
            file.async_read_some(net::buffer(got), next.handler());
            this->run();
            EXPECT_EQ(std::string(got.data(), next.bytes), "next");
        }
        outcome closed;
        file.async_read_some(net::buffer(got), closed.handler());
        net::post(this->context(), [&] { file.close(); });
        this->run();
        EXPECT_EQ(closed.error, net::error::operation_aborted);
    }
}

TYPED_TEST(asio_file, every_handler_runs_once_if_the_file_is_closed_with_pending_operations) {
    this->fill(std::string(1 << 16, 'c'));
    typename TestFixture::random_access_file file(this->context(), this->path(), file_base::read_only);
    std::vector<std::pair<outcome, std::string>> reads(100);
    net::post(this->context(), [&] {
        for (std::size_t i = 0; i < reads.size(); ++i) {
            reads[i].second.resize(500);
            file.async_read_some_at(500 * i, net::buffer(reads[i].second), reads[i].first.handler());
        }
        file.close();
    });
    this->run();
    for (const auto& [read, text] : reads) {
        EXPECT_EQ(read.calls, 1);
        if (read.error) {
            EXPECT_EQ(read.error, net::error::operation_aborted);
        } else {
            EXPECT_EQ(text, std::string(read.bytes, 'c'));
        }
    }
}

TYPED_TEST(asio_file, a_context_can_be_destroyed_while_reads_are_pending) {
    int ends[2];
    loop::checked(::pipe2(ends, O_CLOEXEC), "pipe2");
    const loop::unique_fd writer(ends[1]);
    this->fill("content");
    const auto buffer = std::make_shared<std::array<char, 8>>();
    const auto count = [buffer](error_code, std::size_t) { FAIL(); };
    {
        typename TestFixture::stream_file waits(this->context(), ends[0]);
        typename TestFixture::stream_file other(this->context(), this->path(), file_base::read_only);
        waits.async_read_some(net::buffer(*buffer), count);
        this->context().poll();  // this read is now pending in the kernel
        other.async_read_some(net::buffer(*buffer), count);
    }
    this->destroy_context();
    EXPECT_EQ(buffer.use_count(), 2);  // `buffer` and `count`
}

TYPED_TEST(asio_file, other_threads_can_start_reads_while_one_thread_runs_the_context) {
    this->fill("shared");
    typename TestFixture::random_access_file file(this->context(), this->path(), file_base::read_only);
    auto guard = std::make_unique<net::executor_work_guard<typename TestFixture::executor>>(
        this->context().get_executor());
    std::jthread runner([&] { this->context().run(); });
    std::vector<std::pair<outcome, std::string>> reads(50);
    for (auto& [read, text] : reads) {
        text.resize(6);
        net::async_read_at(file, 0, net::buffer(text), read.handler());
    }
    guard.reset();
    runner.join();
    for (const auto& [read, text] : reads) {
        EXPECT_EQ(read.calls, 1);
        EXPECT_EQ(text, "shared");
    }
}

TYPED_TEST(asio_file, a_pending_read_continues_when_another_thread_runs_the_context) {
    int ends[2];
    loop::checked(::pipe2(ends, O_CLOEXEC), "pipe2");
    typename TestFixture::stream_file file(this->context(), ends[0]);
    const loop::unique_fd writer(ends[1]);
    std::array<char, 4> got{};
    outcome read;
    file.async_read_some(net::buffer(got), read.handler());
    net::post(this->context(), [&] { this->context().stop(); });
    this->context().run();
    EXPECT_EQ(read.calls, 0);
    EXPECT_EQ(::write(writer.get(), "text", 4), 4);
    std::jthread([&] { this->run(); }).join();
    EXPECT_EQ(std::string(got.data(), read.bytes), "text");
}

template <class kit>
using asio_file_on_our_loop = asio_file<kit>;
TYPED_TEST_SUITE(asio_file_on_our_loop, our_kits, kit_names);

// On the context of Boost.Asio 1.81, this read never ends.
TYPED_TEST(asio_file_on_our_loop, releasing_a_file_ends_its_pending_read_and_loses_no_bytes) {
    for (const bool is_in_long_run : {false, true}) {
        int ends[2];
        loop::checked(::pipe2(ends, O_CLOEXEC), "pipe2");
        typename TestFixture::stream_file file(this->context(), ends[0]);
        const loop::unique_fd writer(ends[1]);
        std::array<char, 4> got{};
        outcome read, next;
        file.async_read_some(net::buffer(got), read.handler());
        this->context().restart();
        if (!is_in_long_run) this->context().poll();
        net::post(this->context(), [&] { net::post(this->context(), [&] { file.assign(file.release()); }); });
        this->run();
        EXPECT_EQ(read.error, net::error::operation_aborted);
        EXPECT_EQ(::write(writer.get(), "next", 4), 4);
        file.async_read_some(net::buffer(got), next.handler());
        this->run();
        EXPECT_EQ(std::string(got.data(), next.bytes), "next");
    }
}

// Asio's io_uring operations take the largest offset for the file's own position.
TYPED_TEST(asio_file_on_our_loop, an_offset_that_is_too_large_is_an_error) {
    this->fill("text");
    typename TestFixture::random_access_file file(this->context(), this->path(), file_base::read_write);
    for (const std::uint64_t offset : {std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        outcome read, written;
        char byte = 'x';
        file.async_read_some_at(offset, net::buffer(&byte, 1), read.handler());
        file.async_write_some_at(offset, net::buffer(&byte, 1), written.handler());
        this->run();
        EXPECT_EQ(read.error, net::error::invalid_argument);
        EXPECT_EQ(written.error, net::error::invalid_argument);
    }
    EXPECT_EQ(this->content(), "text");
}

TYPED_TEST(asio_file_on_our_loop, the_kernel_reads_files_on_io_uring_and_a_call_of_the_loop_on_epoll) {
    this->fill("content");
    typename TestFixture::stream_file file(this->context(), this->path(), file_base::read_only);
    std::array<char, 7> got{};
    outcome read;
    calls_of_preadv2 = 0;
    file.async_read_some(net::buffer(got), read.handler());
    this->run();
    EXPECT_EQ(std::string(got.data(), read.bytes), "content");
    EXPECT_EQ(calls_of_preadv2, (std::same_as<TypeParam, on_uring> ? 0 : 1));
}

static_assert(std::same_as<asio::stream_file, net::basic_stream_file<asio::io_context::executor_type>>);
static_assert(
    std::same_as<asio::random_access_file, net::basic_random_access_file<asio::io_context::executor_type>>);

}  // namespace

}  // namespace loopbench::tests
