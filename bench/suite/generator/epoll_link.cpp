// The generator uses epoll if the kernel or a sandbox refuses io_uring, or if the generator is started with
// --epoll. It also uses epoll for HTTP, because with HTTP, the generator sleeps while it waits for replies.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "bench/suite/generator/link.hpp"

namespace loopbench::bench {

namespace {

class epoll_link final : public link {
public:
    epoll_link(std::vector<loop::unique_fd> sockets, std::chrono::milliseconds patience)
        : sockets_(std::move(sockets)),
          poll_(loop::checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
          patience_ms_(static_cast<int>(patience.count())) {
        for (std::size_t i = 0; i < sockets_.size(); ++i) {
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.u64 = i;
            loop::checked(::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, sockets_[i].get(), &event), "epoll_ctl");
        }
    }

    bool send(std::size_t connection, std::span<const std::byte> bytes) override {
        const ssize_t sent =
            ::send(sockets_[connection].get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0 && sent != static_cast<ssize_t>(bytes.size()))
            throw std::runtime_error(
                "a connection accepted only a part of a request, because its send buffer is full");
        return sent > 0;
    }

    void exchange() override {
        ready_ = ::epoll_wait(poll_.get(), events_.data(), static_cast<int>(events_.size()), patience_ms_);
        if (ready_ >= 0) return;
        ready_ = 0;
        if (errno != EINTR) loop::throw_failed("epoll_wait");
    }

    bool receive(reader& to) override {
        for (; ready_ > 0; --ready_) {
            const auto connection =
                static_cast<std::size_t>(events_[static_cast<std::size_t>(ready_ - 1)].data.u64);
            const ssize_t got =
                ::recv(sockets_[connection].get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
            if (got > 0)
                to.arrived(connection, std::span(buffer_).first(static_cast<std::size_t>(got)));
            else if (got == 0 || (errno != EAGAIN && errno != EINTR))
                return false;
        }
        return true;
    }

    std::string_view name() const noexcept override { return "epoll"; }

private:
    std::vector<loop::unique_fd> sockets_;
    loop::unique_fd poll_;
    int patience_ms_;
    std::array<epoll_event, 64> events_;
    int ready_ = 0;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(65'536);
};

}  // namespace

std::unique_ptr<link> make_epoll_link(std::vector<loop::unique_fd> sockets,
                                      std::chrono::milliseconds patience) {
    return std::make_unique<epoll_link>(std::move(sockets), patience);
}

}  // namespace loopbench::bench
