// Runtimes that do almost the right thing: each hides one function of a real one behind a fault, and a
// workload must notice it.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "asio_ref/runtime.hpp"
#include "bench/runtime.hpp"
#include "loop/designs.hpp"

namespace loopbench::bench {

/// Every tenth read of the server, has one wrong bit.
struct corrupting_runtime : asio_ref::runtime {
    struct stream : asio_ref::stream {
        stream(asio_ref::stream whole, bool of_server)
            : asio_ref::stream(std::move(whole)), corrupts(of_server) {}

        task<asio_ref::io_result> read_some(std::span<std::byte> in) {
            const auto result = co_await asio_ref::stream::read_some(in);
            if (corrupts && result.bytes > 0 && ++reads % 10 == 0) in[result.bytes - 1] ^= std::byte{1};
            co_return result;
        }
        bool corrupts;
        int reads = 0;
    };

    struct listener : asio_ref::listener {
        explicit listener(asio_ref::listener whole) : asio_ref::listener(std::move(whole)) {}
        task<stream> accept() { co_return stream(co_await asio_ref::listener::accept(), true); }
    };

    listener listen() { return listener(asio_ref::runtime::listen()); }
    task<stream> connect(std::uint16_t port) {
        co_return stream(co_await asio_ref::runtime::connect(port), false);
    }
};

/// An end of a connection closes it after so many reads.
struct dropping_runtime : asio_ref::runtime {
    struct stream : asio_ref::stream {
        explicit stream(asio_ref::stream whole) : asio_ref::stream(std::move(whole)) {}

        task<asio_ref::io_result> read_some(std::span<std::byte> in) {
            if (++reads > 20) close();
            co_return co_await asio_ref::stream::read_some(in);
        }
        int reads = 0;
    };

    struct listener : asio_ref::listener {
        explicit listener(asio_ref::listener whole) : asio_ref::listener(std::move(whole)) {}
        task<stream> accept() { co_return stream(co_await asio_ref::listener::accept()); }
    };

    listener listen() { return listener(asio_ref::runtime::listen()); }
    task<stream> connect(std::uint16_t port) { co_return stream(co_await asio_ref::runtime::connect(port)); }
};

/// Every second connection of the server waits until everybody else has had many turns.
struct starving_runtime : asio_ref::runtime {
    struct stream : asio_ref::stream {
        stream(asio_ref::stream whole, asio_ref::runtime* of)
            : asio_ref::stream(std::move(whole)), starved_by(of) {}

        task<asio_ref::io_result> read_some(std::span<std::byte> in) {
            for (int i = 0; starved_by != nullptr && i < 200; ++i) co_await starved_by->yield();
            co_return co_await asio_ref::stream::read_some(in);
        }
        asio_ref::runtime* starved_by;  // null: served at once
    };

    struct listener : asio_ref::listener {
        listener(asio_ref::listener whole, asio_ref::runtime& of)
            : asio_ref::listener(std::move(whole)), runtime(&of) {}
        task<stream> accept() {
            asio_ref::runtime* const starved_by = ++accepted % 2 == 0 ? runtime : nullptr;
            co_return stream(co_await asio_ref::listener::accept(), starved_by);
        }
        asio_ref::runtime* runtime;
        int accepted = 0;
    };

    listener listen() { return listener(asio_ref::runtime::listen(), *this); }
    task<stream> connect(std::uint16_t port) {
        co_return stream(co_await asio_ref::runtime::connect(port), nullptr);
    }
};

/// The third connection that is made throws in its twentieth write.
struct throwing_runtime : asio_ref::runtime {
    struct stream : asio_ref::stream {
        stream(asio_ref::stream whole, bool broken) : asio_ref::stream(std::move(whole)), throws(broken) {}

        task<asio_ref::io_result> write_all(std::span<const std::byte> out) {
            if (throws && ++writes == 20) throw std::runtime_error("out of buffers");
            co_return co_await asio_ref::stream::write_all(out);
        }
        bool throws;
        int writes = 0;
    };

    struct listener : asio_ref::listener {
        explicit listener(asio_ref::listener whole) : asio_ref::listener(std::move(whole)) {}
        task<stream> accept() { co_return stream(co_await asio_ref::listener::accept(), false); }
    };

    listener listen() { return listener(asio_ref::runtime::listen()); }
    task<stream> connect(std::uint16_t port) {
        const bool broken = ++connections == 3;
        co_return stream(co_await asio_ref::runtime::connect(port), broken);
    }
    int connections = 0;
};

/// A connection that nobody accepts any more after the tenth: accept throws.
struct refusing_runtime : asio_ref::runtime {
    struct listener : asio_ref::listener {
        explicit listener(asio_ref::listener whole) : asio_ref::listener(std::move(whole)) {}
        task<asio_ref::stream> accept() {
            if (++accepted > 10) throw std::system_error(EMFILE, std::system_category(), "accept");
            co_return co_await asio_ref::listener::accept();
        }
        int accepted = 0;
    };

    listener listen() { return listener(asio_ref::runtime::listen()); }
};

/// A cancelled timer fires all the same.
struct uncancellable_runtime : asio_ref::runtime {
    struct handle {
        void cancel() {}
    };
    template <class Function>
    handle call_at(time_point, Function&& function) {
        asio_ref::runtime::call_at(now(), std::forward<Function>(function));
        return {};
    }
};

/// The Runtime concept and no word more.
class bare_runtime : asio_ref::runtime {
    using base = asio_ref::runtime;

public:
    template <class T>
    using task = base::task<T>;
    using base::connect, base::event, base::gather, base::get_executor, base::listen, base::listener,
        base::name, base::now, base::post, base::post_from_any_thread, base::run, base::sleep_until,
        base::spawn, base::stream, base::yield;
};

/// Sleeps end so many microseconds before their deadline.
template <int EarlyMicroseconds>
struct early_runtime : asio_ref::runtime {
    task<void> sleep_until(time_point deadline) {
        // The real timer is late by some tens of microseconds, so the last stretch is spun.
        const time_point early = deadline - std::chrono::microseconds(EarlyMicroseconds);
        co_await asio_ref::runtime::sleep_until(early - std::chrono::microseconds(300));
        while (now() < early) {
        }
    }
};

/// The last child of a gather is never started.
struct skipping_runtime : asio_ref::runtime {
    task<void> gather(std::span<task<void>> tasks) {
        return asio_ref::runtime::gather(tasks.first(tasks.size() - 1));
    }
};

/// A gather completes although its children have not; they are kept, so that nothing dangles.
struct hasty_runtime : asio_ref::runtime {
    task<void> gather(std::span<task<void>> tasks) {
        for (auto& child : tasks) kept.push_back(std::move(child));
        co_return;
    }
    std::vector<task<void>> kept;
};

/// One posted function of so many is not run.
struct losing_runtime : asio_ref::runtime {
    template <class Function>
    void post(Function&& function) {
        if (++posts % 100 == 0) return;
        asio_ref::runtime::post(std::forward<Function>(function));
    }
    int posts = 0;
};

/// One spawned task of so many is dropped.
struct dropping_spawn_runtime : asio_ref::runtime {
    void spawn(task<void> detached) {
        if (++spawns % 100 == 0) return;
        asio_ref::runtime::spawn(std::move(detached));
    }
    int spawns = 0;
};

/// A yield that does not let go.
struct greedy_runtime : asio_ref::runtime {
    task<void> yield() { co_return; }
};

/// A sleep that does not sleep.
struct sleepless_runtime : asio_ref::runtime {
    auto sleep_until(time_point) { return yield(); }
};

/// The kernel does not give what the loop is made of.
template <int Errno>
struct refused_runtime : asio_ref::runtime {
    refused_runtime() { throw std::system_error(Errno, std::system_category(), "io_uring_setup"); }
};

}  // namespace loopbench::bench
