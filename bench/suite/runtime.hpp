// The interface between an event loop and the workloads, which are coroutine templates over `Runtime`. If a
// function had different meanings in two runtimes, their results could not be compared. tests/conformance
// therefore checks the meanings.
//
// A runtime belongs to the thread that calls run(). Other threads can call only post_from_any_thread(). All
// times are values of std::chrono::steady_clock (CLOCK_MONOTONIC), in nanoseconds.
#pragma once

#include <chrono>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopbench::bench {

using time_point = std::chrono::steady_clock::time_point;

/// The result of a read or a write. `error` is an errno, or 0 for success. A read of 0 bytes without an error
/// is the end of the stream.
template <class R>
concept IoResult = requires(const R& result) {
    { result.bytes } -> std::convertible_to<std::size_t>;
    { result.error } -> std::convertible_to<int>;
};

/// A connected TCP stream on loopback. A stream can be moved, and its destructor closes the connection.
/// TCP_NODELAY is set on both ends. No other option is changed, because different options would make
/// contenders incomparable.
///
/// - read_some(buffer): waits for at least one byte, the end of the stream, or an error. Each call receives
///   only once, even if the buffer is not full afterwards.
/// - write_all(bytes): completes when the kernel has accepted every byte, or with the first error. After a
///   short write, it sends the rest. It never raises SIGPIPE.
/// - shutdown_write(): closes the stream for writing. The peer's reads reach the end of the stream; this end
///   can still read.
/// - close(): completes the pending operations on this stream with ECANCELED. Closing twice has no effect.
///
/// At most one read and one write can be pending at a time. Buffers must stay valid until the operation
/// completes.
template <class S>
concept Stream = std::movable<S> &&
    requires(S& stream, std::span<std::byte> in, std::span<const std::byte> out) {
    stream.read_some(in);   // awaitable, returns an IoResult
    stream.write_all(out);  // awaitable, returns an IoResult
    stream.shutdown_write();
    stream.close();
    { stream.native_handle() } -> std::convertible_to<int>;
};

/// A listening TCP socket on 127.0.0.1. accept() throws std::system_error, with ECANCELED if the listener is
/// closed while accept() waits.
template <class L>
concept Listener = std::movable<L> && requires(L& listener) {
    listener.accept();  // awaitable, returns a Stream
    { listener.port() } -> std::convertible_to<std::uint16_t>;
    listener.close();
};

/// A signal from a plain function to a task. The loop's thread calls set() once. A task can await wait()
/// once, before or after set(). The runtime must outlive the event.
template <class E>
concept Event = requires(E& event) {
    event.set();
    event.wait();
};

/// An event loop with coroutines.
///
/// - task<T>: a coroutine that starts when it is first awaited, spawned, gathered or run. Destroying a task
///   that was not started frees the task. `co_await` of a task runs the task to its end, and returns its
///   value or throws its exception.
/// - run(task): runs the loop until this task has ended. It returns the task's value or throws its exception.
///   Tasks that are still suspended at this time continue in the next call of run(). If a spawned task or a
///   posted function throws an exception, run() throws this exception and keeps the rest of the queue.
/// - now(): returns the time of the runtime's clock, freshly read or at most one turn old.
/// - sleep_until(t): completes when the clock has reached t, and never earlier (but see early_limit). If t
///   has already passed, the task still goes through the queue once, so that a sleep of zero cannot starve
///   other tasks.
/// - yield(): continues after all tasks and functions that were ready before have run.
/// - spawn(task): starts the task soon, but never inside spawn(). Nothing waits for the task's result.
/// - gather(tasks): starts all tasks in order, and completes when every task has ended, without polling. If
///   tasks throw exceptions, gather() throws the first of them after all tasks have ended. The tasks must
///   outlive the await.
/// - post(f): runs f() on a later turn, in the order of posting, and never inside post().
/// - post_from_any_thread(f): does the same as post(), and can be called on any thread. It wakes a sleeping
///   loop.
/// - listen(): returns a listener on 127.0.0.1, on a port that the kernel chooses, with a backlog of 4096.
/// - listen_on(address): does the same as listen(), at a numeric address of this machine, for a client on
///   another machine. This function is optional (see can_listen_on).
/// - connect(port): is awaitable and returns a Stream that is connected to 127.0.0.1. It throws
///   std::system_error with the cause.
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

/// The largest time by which a sleep can end before its deadline. A timer that fires even earlier fails the
/// trial. A runtime that adapts a library with coarser timers can declare `static constexpr
/// std::chrono::nanoseconds early_limit`.
template <class R>
inline constexpr std::chrono::nanoseconds early_limit{0};
template <class R>
requires requires {
    R::early_limit;
}
inline constexpr std::chrono::nanoseconds early_limit<R> = R::early_limit;

template <Runtime R, class T = void>
using task_of = typename R::template task<T>;

// Only some workloads need the following features. On a runtime without a feature, the workloads that need it
// are `unsupported`.

/// Streams over Unix sockets, without TCP_NODELAY. `path` must not exist yet; the caller deletes the socket
/// file.
template <class R>
concept UnixSockets = Runtime<R> && Stream<typename R::unix_stream> &&
    requires(R& runtime, typename R::unix_listener& listener, const std::string& path) {
    { runtime.listen_unix(path) } -> std::same_as<typename R::unix_listener>;
    runtime.connect_unix(path);
    listener.accept();
    listener.close();
};

/// Timers that call a function and can be cancelled.
/// - call_at(when, f): runs f() when now() has reached `when`, never earlier, and never inside call_at(). The
///   timer must be in the runtime's timer queue when call_at() returns.
/// - The handle's cancel(): prevents the call of f. It has no effect if f was already called or cancelled.
///   Destroying the handle does not cancel the timer. A handle must not outlive the runtime.
template <class R>
concept CallTimers = Runtime<R> && requires(R& runtime, time_point when, void (*function)()) {
    { runtime.call_at(when, function) } -> std::movable;
    runtime.call_at(when, function).cancel();
};

/// Pipes. Both ends have the functions of a Stream, and their destructors close them.
template <class R>
concept Pipes = Runtime<R> && requires(R& runtime, std::span<std::byte> in, std::span<const std::byte> out) {
    runtime.open_pipe().reader.read_some(in);
    runtime.open_pipe().writer.write_all(out);
    runtime.open_pipe().reader.close();
    runtime.open_pipe().writer.close();
};

}  // namespace loopbench::bench
