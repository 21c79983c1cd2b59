// A third-party server that knows nothing of loopbench: `echo_server PORT [HOW]` sends received bytes back.
// HOW is a fault: `wrong` changes the bytes, `dies` exits when data arrives, and `ends` exits at once.
// ECHO_SERVER_SLOWER_US is extra CPU time in µs for each message.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::chrono::nanoseconds cpu_time() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

void burn() {
    const auto until = cpu_time() + std::chrono::microseconds(ECHO_SERVER_SLOWER_US);
    while (cpu_time() < until) {
    }
}

int listen_on(std::uint16_t port) {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    const int yes = 1;
    ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool listens = ::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                         ::listen(listener, 1024) == 0;
    return listens ? listener : -1;
}

bool serve(int connection, std::string_view how) {
    std::array<char, 4096> data;
    const ssize_t bytes = ::recv(connection, data.data(), data.size(), 0);
    if (bytes <= 0) return false;
    if (how == "dies") std::_Exit(7);
    if (how == "wrong") data[0] = static_cast<char>(data[0] + 1);
    burn();
    return ::send(connection, data.data(), static_cast<std::size_t>(bytes), MSG_NOSIGNAL) == bytes;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const std::string_view how = argc > 2 ? argv[2] : "";
    const int listener = how == "ends" ? -1 : listen_on(static_cast<std::uint16_t>(std::stoi(argv[1])));
    if (listener < 0) {
        std::fputs("starting\nit has nowhere to listen\n", stderr);
        return 3;
    }
    std::vector<pollfd> watched{{listener, POLLIN, 0}};
    for (;;) {
        ::poll(watched.data(), watched.size(), -1);
        for (std::size_t i = watched.size() - 1; i > 0; --i) {
            if (watched[i].revents == 0 || serve(watched[i].fd, how)) continue;
            ::close(watched[i].fd);
            watched.erase(watched.begin() + static_cast<std::ptrdiff_t>(i));
        }
        if (watched[0].revents != 0) watched.push_back({::accept(listener, nullptr, nullptr), POLLIN, 0});
    }
}
