// Measures alternatives for two decisions of the io_uring driver: how to accept connections, and how to refer
// to open files. loop/io/uring/driver.cpp states which alternatives the driver uses, and why. All benchmarks
// except accept/driver use a bare ring that is set up like the driver's ring. Benchmarks with the same name
// before the slash do the same work:
//
// - accept/one_by_one submits one accept at a time. If the completion reports that more connections wait,
//   accept4() accepts them.
// - accept/multishot keeps one accept armed. It completes once for every connection.
// - accept/driver uses the driver itself, which also submits one accept at a time.
// - echo/descriptors makes a round trip on each of several connections. Two system calls submit all of them.
// - echo/fixed_files does the same on registered files.
//
// The differences are smaller than the drift of a machine's speed, so the benchmarks must be run interleaved:
//
//   uring-choices --benchmark_repetitions=20 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>
#include <liburing.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/suite/floors/connections.hpp"
#include "loop/io/drivers.hpp"
#include "loop/io/fd.hpp"
#include "loop/io/uring/ring.hpp"
#include "loop/net/sockets.hpp"

namespace loopbench::bench {

namespace {

using loop::checked;
using loop::unique_fd;

constexpr int accept_flags = SOCK_NONBLOCK | SOCK_CLOEXEC;

class crowd {
public:
    crowd() : listener_(loop::open_listener(loop::endpoint::loopback(0))) {}

    int listener() const noexcept { return listener_.get(); }

    void connect(std::size_t count) {
        const loop::endpoint server = loop::local_endpoint(listener());
        while (clients_.size() < count) {
            clients_.emplace_back(checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
            // A reset closes a connection without leaving its port in TIME-WAIT. Otherwise, later iterations
            // would run out of ports.
            const linger reset{.l_onoff = 1, .l_linger = 0};
            checked(::setsockopt(clients_.back().get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset),
                    "setsockopt SO_LINGER");
            checked(::connect(clients_.back().get(), reinterpret_cast<const sockaddr*>(&server.address()),
                              server.bytes()),
                    "connect to 127.0.0.1");
        }
    }

    void admit(int accepted) {
        if (accepted < 0) loop::throw_failed("accept", -accepted);
        admitted_.emplace_back(accepted);
    }
    std::size_t admitted() const noexcept { return admitted_.size(); }

    void leave() {
        clients_.clear();
        admitted_.clear();
    }

private:
    unique_fd listener_;
    std::vector<unique_fd> clients_;
    std::vector<unique_fd> admitted_;
};

template <class Way>
void wait_in_ring(Way& way) {
    way.ring().enter(1);
    io_uring_cqe completion{};
    while (way.ring().take(completion)) way.take(completion);
}

class one_by_one {
public:
    explicit one_by_one(crowd& guests) : guests_(guests) {
        ring_.enable();
        arm();
        ring_.enter();
    }
    ~one_by_one() { ring_.cancel_all(); }

    void wait() { wait_in_ring(*this); }

    void take(const io_uring_cqe& completion) {
        guests_.admit(completion.res);
        for (bool more = (completion.flags & IORING_CQE_F_SOCK_NONEMPTY) != 0; more;) {
            const int next = ::accept4(guests_.listener(), nullptr, nullptr, accept_flags);
            more = next >= 0;
            if (more) guests_.admit(next);
        }
        arm();
    }

    loop::uring_ring& ring() noexcept { return ring_; }

private:
    void arm() { io_uring_prep_accept(&ring_.sqe(), guests_.listener(), nullptr, nullptr, accept_flags); }

    crowd& guests_;
    loop::uring_ring ring_{loop::uring_limits{}};
};

class multishot {
public:
    explicit multishot(crowd& guests) : guests_(guests) {
        ring_.enable();
        arm();
        ring_.enter();
    }
    ~multishot() { ring_.cancel_all(); }

    void wait() { wait_in_ring(*this); }

    void take(const io_uring_cqe& completion) {
        guests_.admit(completion.res);
        if ((completion.flags & IORING_CQE_F_MORE) == 0) arm();
    }

    loop::uring_ring& ring() noexcept { return ring_; }

private:
    void arm() {
        io_uring_prep_multishot_accept(&ring_.sqe(), guests_.listener(), nullptr, nullptr, accept_flags);
    }

    crowd& guests_;
    loop::uring_ring ring_{loop::uring_limits{}};
};

class by_driver {
public:
    explicit by_driver(crowd& guests) : guests_(guests) {
        accept_.kind = loop::io_kind::accept;
        accept_.fd = guests.listener();
        admit_all();
        driver_->wait(loop::do_not_wait);
    }
    ~by_driver() {
        if (accept_.pending) driver_->discard(accept_);
        driver_->close(guests_.listener());
    }

    void wait() {
        while (ready_.empty()) driver_->wait(loop::never);
        ready_.pop();
        guests_.admit(static_cast<int>(accept_.result));
        admit_all();
    }

private:
    void admit_all() {
        while (driver_->start(accept_)) guests_.admit(static_cast<int>(accept_.result));
    }

    crowd& guests_;
    loop::ready_queue ready_;
    std::unique_ptr<loop::driver> driver_ = loop::make_io_uring_driver(ready_);
    loop::io_operation accept_;
};

template <class Way>
void accept(benchmark::State& state) {
    const auto arrivals = static_cast<std::size_t>(state.range(0));
    crowd guests;
    Way way(guests);
    for (auto _ : state) {
        guests.connect(arrivals);
        const auto start = std::chrono::steady_clock::now();
        while (guests.admitted() < arrivals) way.wait();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        state.SetIterationTime(took.count());
        if (guests.admitted() != arrivals) state.SkipWithError("failed: a connection was accepted twice");
        guests.leave();
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

enum class file_names { descriptors, fixed };

class echo_rounds {
public:
    echo_rounds(std::size_t connections, file_names names)
        : pairs_(floors::connect_over_loopback(connections)), fixed_(names == file_names::fixed) {
        ring_.enable();
        for (const floors::connection& pair : pairs_)
            files_.insert(files_.end(), {pair.client.get(), pair.server.get()});
        if (!fixed_) return;
        const int refused =
            -io_uring_register_files(&ring_.native(), files_.data(), static_cast<unsigned>(files_.size()));
        if (refused != 0) loop::throw_failed("io_uring_register_files", refused);
    }

    void make() {
        pass(0);
        pass(1);
    }

private:
    // Sends a message from every second file, beginning at index `from`, to the other end of its connection.
    void pass(unsigned from) {
        for (unsigned place = from; place < files_.size(); place += 2) {
            io_uring_sqe& send = ring_.sqe();
            io_uring_prep_send(&send, name(place), message_.data(), message_.size(), MSG_NOSIGNAL);
            io_uring_sqe& receive = ring_.sqe();
            io_uring_prep_recv(&receive, name(place ^ 1), message_.data(), message_.size(), 0);
            for (io_uring_sqe* entry : {&send, &receive}) {
                entry->user_data = 0;
                if (fixed_) entry->flags |= IOSQE_FIXED_FILE;
            }
        }
        for (std::size_t done = 0; done < files_.size();) {
            ring_.enter(1);
            for (io_uring_cqe completion{}; ring_.take(completion); ++done) {
                if (completion.res != static_cast<int>(message_.size()))
                    throw std::runtime_error("failed: a message was transferred only in part");
            }
        }
    }

    int name(unsigned place) const { return fixed_ ? static_cast<int>(place) : files_[place]; }

    std::vector<floors::connection> pairs_;
    std::vector<int> files_;
    bool fixed_;
    std::array<char, 64> message_{};
    loop::uring_ring ring_{loop::uring_limits{}};
};

template <file_names Names>
void echo(benchmark::State& state) {
    echo_rounds rounds(static_cast<std::size_t>(state.range(0)), Names);
    for (auto _ : state) rounds.make();
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(accept<one_by_one>)
    ->Name("accept/one_by_one")
    ->ArgName("arrivals")
    ->Arg(1)
    ->Arg(64)
    ->UseManualTime();
BENCHMARK(accept<multishot>)->Name("accept/multishot")->ArgName("arrivals")->Arg(1)->Arg(64)->UseManualTime();
BENCHMARK(accept<by_driver>)->Name("accept/driver")->ArgName("arrivals")->Arg(1)->Arg(64)->UseManualTime();
BENCHMARK(echo<file_names::descriptors>)->Name("echo/descriptors")->ArgName("conns")->Arg(1)->Arg(100);
BENCHMARK(echo<file_names::fixed>)->Name("echo/fixed_files")->ArgName("conns")->Arg(1)->Arg(100);

}  // namespace

}  // namespace loopbench::bench

int main(int argc, char** argv) {
    constexpr int skipped = 77;
    if (const std::string refusal = loopbench::loop::io_uring_refusal(); !refusal.empty()) {
        std::fprintf(stderr, "%s\n", refusal.c_str());
        return skipped;
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    return benchmark::RunSpecifiedBenchmarks() == 0 ? 1 : 0;
}
