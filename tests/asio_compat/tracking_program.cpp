// A program of an Asio user with handler tracking (BOOST_ASIO_ENABLE_HANDLER_TRACKING). It reads its own
// standard error. Ends with 0 if the creation, the invocation and the end of every handler were printed, and
// the destruction of the handler that was never called.
#include <unistd.h>

#include <array>
#include <boost/asio.hpp>
#include <csignal>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::ip::udp;

class recorded_errors {
public:
    recorded_errors() : file_(std::tmpfile()) { ::dup2(::fileno(file_), STDERR_FILENO); }
    recorded_errors& operator=(recorded_errors&&) = delete;
    ~recorded_errors() { std::fclose(file_); }

    std::string text() const {
        std::string all(static_cast<std::size_t>(::lseek(::fileno(file_), 0, SEEK_END)), '\0');
        return ::pread(::fileno(file_), all.data(), all.size(), 0) < 0 ? std::string() : all;
    }

private:
    std::FILE* file_;
};

constexpr auto ignore = [](const auto&...) {};

void exchange_over_tcp(asio::io_context& context) {
    tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
    tcp::socket client(context), served(context);
    acceptor.async_accept(served, ignore);
    client.async_connect(acceptor.local_endpoint(), ignore);
    context.run();
    std::array<char, 4> got{};
    served.async_receive(asio::buffer(got), ignore);
    client.async_send(asio::buffer("four", 4), ignore);
    context.restart();
    context.run();
}

void exchange_over_udp(asio::io_context& context) {
    udp::socket one(context, {asio::ip::address_v4::loopback(), 0});
    udp::socket other(context, {asio::ip::address_v4::loopback(), 0});
    std::array<char, 4> got{};
    udp::endpoint from;
    other.async_receive_from(asio::buffer(got), from, ignore);
    one.async_send_to(asio::buffer("four", 4), other.local_endpoint(), ignore);
    context.restart();
    context.run();
}

void use_other_objects(asio::io_context& context) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return;
    asio::posix::stream_descriptor reader(context, ends[0]), writer(context, ends[1]);
    std::array<char, 4> got{};
    reader.async_read_some(asio::buffer(got), ignore);
    writer.async_write_some(asio::buffer("four", 4), ignore);
    asio::steady_timer timer(context, std::chrono::milliseconds(1));
    timer.async_wait(ignore);
    asio::signal_set signals(context, SIGUSR1);
    signals.async_wait(ignore);
    std::raise(SIGUSR1);
    tcp::resolver resolver(context);
    resolver.async_resolve("127.0.0.1", "80", ignore);
    asio::post(context, ignore);
    context.restart();
    context.run();
}

std::string field(std::istringstream& line) {
    std::string text;
    std::getline(line, text, '|');
    return text;
}

bool is_tracked_completely(const std::string& text) {
    const std::set<std::string> expected{
        "socket.async_accept",       "socket.async_connect",       "socket.async_send",
        "socket.async_receive",      "socket.async_send_to",       "socket.async_receive_from",
        "deadline_timer.async_wait", "descriptor.async_read_some", "descriptor.async_write_some",
        "signal_set.async_wait",     "resolver.async_resolve",     "io_context.execute"};
    std::set<std::string> created;
    std::map<std::string, std::string> events;  // the key is the number of a handler
    std::istringstream lines(text);
    for (std::string each; std::getline(lines, each);) {
        std::istringstream line(each);
        field(line);  // "@asio"
        field(line);  // the time
        const std::string action = field(line), about = field(line);
        if (const auto star = action.find('*'); star != action.npos) {
            created.insert(about.substr(0, about.find('@')) + about.substr(about.rfind('.')));
            events[action.substr(star + 1)];
        } else if (!action.empty() && std::string("><~!").find(action[0]) != std::string::npos) {
            events[action.substr(1)] += action[0];
        }
    }
    int destroyed = 0;
    for (const auto& [number, happened] : events) {
        if (happened == "~") {
            ++destroyed;
        } else if (happened != "><") {
            return false;
        }
    }
    return created == expected && destroyed == 1 && text.find("bytes_transferred=4") != text.npos &&
           text.find("signal_number=" + std::to_string(SIGUSR1)) != text.npos;
}

}  // namespace

int main() {
    const recorded_errors errors;
    {
        asio::io_context context;
        exchange_over_tcp(context);
        exchange_over_udp(context);
        use_other_objects(context);
        asio::steady_timer timer(context, std::chrono::hours(1));
        timer.async_wait(ignore);
    }
    const std::string text = errors.text();
    if (is_tracked_completely(text)) return 0;
    std::fputs(text.c_str(), stdout);
    return 1;
}
