// Sockets and pipes on libevent's events (see Stream and Listener in bench/suite/runtime.hpp).
//
// The events are edge-triggered and persistent (EV_ET | EV_PERSIST). After a short read, there is no more
// data, so the adapter waits for the next edge before it reads from a socket again. If libevent has also
// detected the end of the stream (EV_CLOSED), the adapter does not wait, because no other edge follows. The
// adapter does not use bufferevents, because they would copy every byte once more. Programs that use libevent
// for speed do not use bufferevents either.
#pragma once

#include <event2/event.h>
#include <event2/event_struct.h>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "bench/suite/peers/library_loop.hpp"
#include "loop/coro/frame_pool.hpp"
#include "loop/io/fd.hpp"
#include "loop/io/io.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench::peers {

struct ev_waiter : callback_awaiter {
    using callback_awaiter::callback_awaiter;

    virtual bool try_again() noexcept = 0;

    int fd = -1;  // -1 if the socket was closed during the wait

protected:
    ~ev_waiter() = default;
};

class ev_direction {
public:
    /// Makes the events of one direction. `what` is EV_READ | EV_CLOSED or EV_WRITE.
    ev_direction(event_base* base, int fd, short what) noexcept;
    ~ev_direction() { stop(); }
    ev_direction(const ev_direction&) = delete;
    ev_direction& operator=(const ev_direction&) = delete;

    void exhausted() noexcept { may_be_ready_ = peer_closed_; }
    bool may_be_ready() const noexcept { return may_be_ready_; }

    /// Registers `waiter`, which tries its call again at the next edge. Returns false if libevent cannot wait
    /// for this descriptor.
    bool wait(ev_waiter& waiter) noexcept;
    void forget(const ev_waiter& waiter) noexcept {
        if (waiter_ == &waiter) waiter_ = nullptr;
    }

    void stop() noexcept;

private:
    static void on_edge(evutil_socket_t, short what, void* self) noexcept;

    event event_{};
    ev_waiter* waiter_ = nullptr;
    bool added_ = false;
    bool may_be_ready_ = true;
    bool peer_closed_ = false;
};

enum class ev_kind { socket, pipe };

/// A socket or a pipe end. It cannot move, because libevent keeps its address.
class ev_socket {
public:
    ev_socket(event_base* base, loop::unique_fd fd, ev_kind kind = ev_kind::socket) noexcept
        : base_(base),
          kind_(kind),
          fd_(std::move(fd)),
          reading_(base, fd_.get(), EV_READ | EV_CLOSED),
          writing_(base, fd_.get(), EV_WRITE) {}

    static void* operator new(std::size_t bytes) { return loop::frame_pool::allocate(bytes); }
    static void operator delete(void* block, std::size_t bytes) noexcept {
        loop::frame_pool::deallocate(block, bytes);
    }

    int fd() const noexcept { return fd_.get(); }
    event_base* base() const noexcept { return base_; }
    bool is_pipe() const noexcept { return kind_ == ev_kind::pipe; }
    ev_direction& reading() noexcept { return reading_; }
    ev_direction& writing() noexcept { return writing_; }

private:
    event_base* base_;
    ev_kind kind_;
    loop::unique_fd fd_;
    ev_direction reading_;
    ev_direction writing_;
};

/// An awaiter that tries its system call again at each edge until the call does not block.
class ev_awaiter : public ev_waiter {
public:
    ev_awaiter(library_loop& owner, ev_direction* direction, int on) noexcept
        : ev_waiter(owner), direction_(direction) {
        fd = on;
    }
    bool await_ready() noexcept {
        done_ = direction_ == nullptr || (direction_->may_be_ready() && attempt());
        return done_ && owner().may_complete_inline(bytes_moved());
    }

    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> waiter) noexcept {
        wait(waiter);
        if (!done_) waiting_ = direction_->wait(*this);
        if (!waiting_) queue();
    }

    bool try_again() noexcept final {
        const bool over = fd < 0 || attempt();
        if (over) waiting_ = false;
        return over;
    }

protected:
    ~ev_awaiter() {
        if (waiting_) direction_->forget(*this);
    }

    virtual bool attempt() noexcept = 0;
    virtual std::size_t bytes_moved() const noexcept { return 0; }

    ev_direction& direction() const noexcept { return *direction_; }

private:
    ev_direction* direction_;
    bool done_ = false;
    bool waiting_ = false;
};

class ev_read_awaiter final : public ev_awaiter {
public:
    ev_read_awaiter(library_loop& owner, ev_socket* socket, std::span<std::byte> in) noexcept;
    loop::io_result await_resume() const noexcept;

private:
    bool attempt() noexcept override;
    std::size_t bytes_moved() const noexcept override { return result_ ? result_->bytes : 0; }

    std::span<std::byte> in_;
    bool from_pipe_;
    std::optional<loop::io_result> result_;
};

class ev_write_awaiter final : public ev_awaiter {
public:
    ev_write_awaiter(library_loop& owner, ev_socket* socket, std::span<const std::byte> out) noexcept;
    loop::io_result await_resume() const noexcept;

private:
    bool attempt() noexcept override;
    std::size_t bytes_moved() const noexcept override { return written_; }

    std::span<const std::byte> rest_;
    bool to_pipe_;
    std::size_t written_ = 0;
    std::optional<int> error_;
};

class ev_stream {
public:
    /// Takes over a connected socket. Sets TCP_NODELAY if it is a TCP socket. Throws std::system_error.
    ev_stream(library_loop& owner, std::unique_ptr<ev_socket> connected);

    ev_read_awaiter read_some(std::span<std::byte> in) noexcept { return {*owner_, socket_.get(), in}; }
    ev_write_awaiter write_all(std::span<const std::byte> out) noexcept {
        return {*owner_, socket_.get(), out};
    }
    void shutdown_write() noexcept;
    void close() noexcept { socket_.reset(); }
    int native_handle() const noexcept { return socket_ ? socket_->fd() : -1; }

private:
    library_loop* owner_;
    std::unique_ptr<ev_socket> socket_;
};

class ev_connect_awaiter final : public ev_awaiter {
public:
    ev_connect_awaiter(library_loop& owner, std::unique_ptr<ev_socket> socket,
                       const loop::endpoint& peer) noexcept;
    ev_stream await_resume();

private:
    bool attempt() noexcept override;

    std::unique_ptr<ev_socket> socket_;
    loop::endpoint peer_;
    bool started_ = false;
    int error_ = 0;
};

class ev_accept_awaiter final : public ev_awaiter {
public:
    ev_accept_awaiter(library_loop& owner, ev_socket* listener) noexcept;
    ev_stream await_resume();

private:
    bool attempt() noexcept override;

    event_base* base_;
    loop::unique_fd accepted_;
    int error_;
};

/// A listener. If it listens at a path (Unix sockets), the path still exists after the listener is closed.
class ev_listener {
public:
    ev_listener(library_loop& owner, event_base* base, const loop::endpoint& local);

    ev_accept_awaiter accept() noexcept { return {*owner_, socket_.get()}; }
    std::uint16_t port() const;
    void close() noexcept { socket_.reset(); }

private:
    library_loop* owner_;
    std::unique_ptr<ev_socket> socket_;
};

}  // namespace loopbench::bench::peers
