// A program of an Asio user that copies a file. Ends with 0 if both files are equal afterwards.
#include <sys/mman.h>

#include <array>
#include <boost/asio.hpp>
#include <string>

namespace net = boost::asio;

namespace {

std::string path_of(int file) {
    return "/proc/self/fd/" + std::to_string(file);
}

net::awaitable<void> copy(const std::string& from, const std::string& to) {
    const auto executor = co_await net::this_coro::executor;
    net::random_access_file source(executor, from, net::file_base::read_only);
    net::stream_file target(executor, to, net::file_base::write_only);
    std::array<char, 1000> part{};
    for (std::uint64_t done = 0; done < source.size();) {
        const auto bytes = co_await source.async_read_some_at(done, net::buffer(part), net::use_awaitable);
        co_await net::async_write(target, net::buffer(part, bytes), net::use_awaitable);
        done += bytes;
    }
}

}  // namespace

int main() {
    const std::string original = path_of(::memfd_create("original", 0));
    const std::string other = path_of(::memfd_create("other", 0));
    net::io_context context;
    net::stream_file written(context, original, net::file_base::write_only);
    const std::string text(10'500, 'x');
    net::write(written, net::buffer(text));
    net::co_spawn(context, copy(original, other), [](std::exception_ptr failed) {
        if (failed) std::rethrow_exception(failed);
    });
    context.run();
    net::stream_file read(context, other, net::file_base::read_only);
    std::string copied(text.size(), ' ');
    net::read(read, net::buffer(copied));
    return copied == text && read.size() == text.size() ? 0 : 1;
}
