// The interface of an event loop to the workloads.
//
// A workload is a coroutine template over `Runtime`: the same source runs on every loop. This file defines
// the functions that a runtime must offer, and the meaning of each, because two runtimes with different
// meanings would be measured doing different work. The conformance tests (tests/conformance) check every
// model against this text.
//
// Threads: a runtime belongs to the thread that calls run(); other threads can call only
// post_from_any_thread(). All times are std::chrono::steady_clock (CLOCK_MONOTONIC), in nanoseconds.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopbench::bench {

using time_point = std::chrono::steady_clock::time_point;

/// The result of a read or a write. An operating error is a value: `error` is an errno, or 0 for success. A
/// read of 0 bytes without an error is the end of the stream.
template <class R>
concept IoResult = requires(const R& result) {
    { result.bytes } -> std::convertible_to<std::size_t>;
    { result.error } -> std::convertible_to<int>;
};

/// A connected TCP stream on loopback. Movable, closes on destruction. TCP_NODELAY is set on both ends, and
/// no other option is changed: this is part of the meaning, because options would make contenders
/// incomparable.
///
/// - read_some(buffer): waits for at least one byte, the end of the stream, or an error; a single receive.
/// - write_all(bytes): completes when the kernel has taken every byte, or with the first error (short writes
///   are continued). SIGPIPE is never raised.
/// - shutdown_write(): half close; the peer's reads end, ours continue.
/// - close(): completes a pending operation on this stream with ECANCELED; closing twice is harmless.
///
/// At most one read and one write can be pending at a time. Buffers must live until the operation completes.
template <class S>
concept Stream = std::movable<S> &&
    requires(S& stream, std::span<std::byte> in, std::span<const std::byte> out) {
    stream.read_some(in);   // awaitable, returns an IoResult
    stream.write_all(out);  // awaitable, returns an IoResult
    stream.shutdown_write();
    stream.close();
    { stream.native_handle() } -> std::convertible_to<int>;
};

/// A listening TCP socket on 127.0.0.1. accept() is awaitable and returns a Stream; it throws
/// std::system_error (ECANCELED if the listener is closed while it waits).
template <class L>
concept Listener = std::movable<L> && requires(L& listener) {
    listener.accept();  // awaitable, returns a Stream
    { listener.port() } -> std::convertible_to<std::uint16_t>;
    listener.close();
};

/// A signal from a plain function to a task. It is made from a runtime, which must outlive it. set() is
/// called once, in the loop's thread; wait() is awaitable, once, before or after set(), and completes after
/// set() was called.
template <class E>
concept Event = requires(E& event) {
    event.set();
    event.wait();
};

/// An event loop with coroutines.
///
/// - task<T>: a coroutine that starts when it is first awaited, spawned, gathered or run. Destroying a task
///   that was not started frees it. `co_await` of a task runs it to its end and returns its value or throws
///   its exception.
/// - run(task): runs the loop until this task is done; returns its value or throws its exception. Other tasks
///   that are still suspended stay so, and continue when run() is called again. An exception that leaves a
///   spawned task or a posted function leaves run(); the rest of the queue is kept.
/// - now(): the runtime's clock, freshly read or at most one turn old.
/// - sleep_until(t): completes when the clock has reached t, never before, not by a nanosecond (but see
///   early_limit). If t has already passed, it still goes through the queue once, so that a zero sleep cannot
///   starve others.
/// - yield(): lets everything run that was ready before, then continues.
/// - spawn(task): starts the task soon, never inline; its result is not awaited.
/// - gather(tasks): starts all of them, in order, and completes when every one has ended; a real join, no
///   polling. If children throw, it throws the first exception after all have ended. The span's tasks must
///   outlive the await.
/// - post(f): runs f() on a later turn, in the order of posting, never inline.
/// - post_from_any_thread(f): the same, from any thread; it wakes the loop if that sleeps.
/// - listen(): returns a listener on 127.0.0.1, on a port that the kernel chooses, with a backlog of 4096.
/// - listen_on(address): the same at a numeric address of this machine, for a client on another one. Optional
///   (can_listen_on).
/// - connect(port): awaitable, returns a Stream connected to 127.0.0.1; throws std::system_error (the cause).
///
/// Destroying a runtime frees every suspended task.
template <class R>
concept Runtime = Stream<typename R::stream> && Listener<typename R::listener> && Event<typename R::event> &&
    std::constructible_from<typename R::event, R&> &&
    requires(R& runtime, typename R::template task<int> value_task, typename R::template task<void> void_task,
             std::span<typename R::template task<void>> tasks, time_point when, void (*function)(),
             std::uint16_t port) {
    { runtime.run(std::move(value_task)) } -> std::same_as<int>;
    { runtime.run(std::move(void_task)) } -> std::same_as<void>;
    { runtime.now() } -> std::same_as<time_point>;
    runtime.sleep_until(when);  // awaitable
    runtime.yield();            // awaitable
    runtime.spawn(std::move(void_task));
    runtime.gather(tasks);  // awaitable
    runtime.post(function);
    runtime.post_from_any_thread(function);
    { runtime.listen() } -> std::same_as<typename R::listener>;
    runtime.connect(port);  // awaitable, returns R::stream
};

template <class R>
inline constexpr bool can_listen_on = requires(R& runtime, const std::string& address) {
    { runtime.listen_on(address) } -> std::same_as<typename R::listener>;
};

/// The time by which a sleep can end before its deadline. It is zero, as the concept requires, unless a
/// runtime that adapts a library with coarser timers states `static constexpr std::chrono::nanoseconds
/// early_limit`: its early fires are counted and shown, and only a fire beyond the limit is a failure.
template <class R>
inline constexpr std::chrono::nanoseconds early_limit{0};
template <class R>
requires requires {
    R::early_limit;
}
inline constexpr std::chrono::nanoseconds early_limit<R> = R::early_limit;

template <Runtime R, class T = void>
using task_of = typename R::template task<T>;

// Features that only some workloads need. A runtime can lack them: the workloads that need them are then
// `unsupported` for it, and name the missing feature.

/// Streams over Unix sockets.
/// - listen_unix(path): like listen(), at a path that does not exist yet; the caller removes the path.
/// - connect_unix(path): awaitable, like connect(). The Stream that it returns, and the one that the listener
///   accepts, have the meaning of R::stream, without TCP_NODELAY.
template <class R>
concept UnixSockets = Runtime<R> && Stream<typename R::unix_stream> &&
    requires(R& runtime, typename R::unix_listener& listener, const std::string& path) {
    { runtime.listen_unix(path) } -> std::same_as<typename R::unix_listener>;
    runtime.connect_unix(path);  // awaitable, returns R::unix_stream
    listener.accept();           // awaitable, returns R::unix_stream
    listener.close();
};

/// Timers that call a function and can be cancelled.
/// - call_at(when, f): runs f() when now() has reached `when`, never before and never inline. This call
///   inserts it into the runtime's timers, not a later one.
/// - The handle's cancel(): prevents the call of f; harmless if f was called or cancelled before. Dropping
///   the handle does not cancel. A handle must not outlive the runtime.
template <class R>
concept CallTimers = Runtime<R> && requires(R& runtime, time_point when, void (*function)()) {
    { runtime.call_at(when, function) } -> std::movable;
    runtime.call_at(when, function).cancel();
};

/// Pipes: open_pipe() returns both ends of a new pipe. The reader has read_some() and close(), the writer
/// write_all() and close(), with the same meaning as for a Stream; both close on destruction.
template <class R>
concept Pipes = Runtime<R> && requires(R& runtime, std::span<std::byte> in, std::span<const std::byte> out) {
    runtime.open_pipe().reader.read_some(in);   // awaitable, returns an IoResult
    runtime.open_pipe().writer.write_all(out);  // awaitable, returns an IoResult
    runtime.open_pipe().reader.close();
    runtime.open_pipe().writer.close();
};

}  // namespace loopbench::bench
