// The base class of the runtimes with a fault. Its functions are virtual, so that each workload is compiled
// only once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "asio_ref/runtime.hpp"
#include "bench/suite/runtime.hpp"

namespace loopbench::bench {

struct breakable_runtime : asio_ref::runtime {
    using io_result = asio_ref::io_result;

    struct stream : asio_ref::stream {
        task<io_result> read_some(std::span<std::byte> in) {
            ++reads;
            return runtime->read_some(*this, in);
        }
        task<io_result> write_all(std::span<const std::byte> out) {
            ++writes;
            return runtime->write_all(*this, out);
        }

        breakable_runtime* runtime;
        bool of_server;
        int number;               // counts the accepted and the connected streams separately, from 1
        std::uint64_t reads = 0;  // including the current one
        std::uint64_t writes = 0;
    };

    struct listener : asio_ref::listener {
        task<stream> accept() { return runtime->accept(*this); }

        breakable_runtime* runtime;
    };

    struct pipe_reader : asio_ref::pipe_reader {
        task<io_result> read_some(std::span<std::byte> in) { return runtime->read_pipe(*this, in); }

        breakable_runtime* runtime;
    };

    struct pipe_writer : asio_ref::pipe_writer {
        task<io_result> write_all(std::span<const std::byte> out) { return runtime->write_pipe(*this, out); }

        breakable_runtime* runtime;
    };

    struct pipe_ends {
        pipe_reader reader;
        pipe_writer writer;
    };

    struct timer_handle {
        void cancel() { runtime->cancel(call); }

        breakable_runtime* runtime;
        asio_ref::call_handle call;
    };

    virtual ~breakable_runtime() = default;

    virtual time_point now() const { return asio_ref::runtime::now(); }
    virtual task<void> sleep_until(time_point when) { return asio_ref::runtime::sleep_until(when); }
    virtual task<void> yield() { co_await asio_ref::runtime::yield(); }
    virtual void spawn(task<void> detached) { asio_ref::runtime::spawn(std::move(detached)); }
    virtual task<void> gather(std::span<task<void>> tasks) { return asio_ref::runtime::gather(tasks); }
    virtual void post(std::function<void()> function) { asio_ref::runtime::post(std::move(function)); }
    virtual void post_from_any_thread(std::function<void()> function) {
        asio_ref::runtime::post_from_any_thread(std::move(function));
    }

    virtual timer_handle call_at(time_point when, std::function<void()> function) {
        return {this, asio_ref::runtime::call_at(when, std::move(function))};
    }
    virtual void cancel(asio_ref::call_handle& call) { call.cancel(); }

    listener listen() { return {asio_ref::runtime::listen(), this}; }
    virtual task<stream> accept(listener& from) {
        const int number = ++accepted_;
        asio_ref::stream whole = co_await from.asio_ref::listener::accept();
        co_return stream{std::move(whole), this, true, number};
    }
    task<stream> connect(std::uint16_t port) {
        const int number = ++connected_;
        asio_ref::stream whole = co_await asio_ref::runtime::connect(port);
        co_return stream{std::move(whole), this, false, number};
    }
    virtual task<io_result> read_some(stream& from, std::span<std::byte> in) {
        return from.asio_ref::stream::read_some(in);
    }
    virtual task<io_result> write_all(stream& to, std::span<const std::byte> out) {
        return to.asio_ref::stream::write_all(out);
    }

    pipe_ends open_pipe() {
        asio_ref::pipe_ends whole = asio_ref::runtime::open_pipe();
        return {{std::move(whole.reader), this}, {std::move(whole.writer), this}};
    }
    virtual task<io_result> read_pipe(pipe_reader& from, std::span<std::byte> in) {
        return from.asio_ref::pipe_reader::read_some(in);
    }
    virtual task<io_result> write_pipe(pipe_writer& to, std::span<const std::byte> out) {
        return to.asio_ref::pipe_writer::write_all(out);
    }

private:
    int accepted_ = 0;
    int connected_ = 0;
};

}  // namespace loopbench::bench
