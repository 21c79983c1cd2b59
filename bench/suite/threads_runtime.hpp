// The interface between an event loop that uses several threads and the workloads threads/..., which are
// function templates over `ThreadedRuntime`. (bench/suite/runtime.hpp is the interface of one thread.) The
// workloads are the same for every arrangement of threads and loops: one loop that all threads run, or a loop
// for each thread. tests/conformance checks the meanings of the functions.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "bench/suite/runtime.hpp"

namespace loopbench::bench {

/// The threads of a runtime, and their cores. Thread i is pinned to cores[i % cores.size()]. If `cores` is
/// empty, the kernel chooses the cores.
struct thread_plan {
    std::size_t threads = 1;
    std::vector<int> cores = {};
};

/// The alignment of data that only one thread uses. It is that of two cache lines, because some processors
/// fetch lines in pairs.
inline constexpr std::size_t bytes_apart = 128;

inline constexpr std::size_t no_thread = std::numeric_limits<std::size_t>::max();

/// Set by the threads of a runtime (thread_crew).
inline thread_local std::size_t current_thread_index = no_thread;

/// Returns the number of the calling thread, from 0, among the threads of its runtime. Returns no_thread in
/// all other threads.
inline std::size_t this_thread_index() noexcept {
    return current_thread_index;
}

/// The promise of a runtime about the functions of one home.
enum class home_kind {
    any_thread,  // they can run in any thread, in any order, and at the same time
    serial,      // they run in the order of posting, and never at the same time
    thread,      // like `serial`, and always in the same thread
};

/// Functions in several threads.
///
/// A runtime has threads() threads, which exist from its construction to the end of run(), and homes() homes
/// with the numbers from 0. A home is a place for functions; `homes_are` states what the runtime promises
/// about it. All functions of a runtime can be called from any thread, except where a comment says otherwise.
/// The constructor throws std::system_error if the kernel refuses a feature.
///
/// - post(home, f): runs f() at the home, later, and never inside post(). Everything that the calling thread
///   has done before is visible to f().
/// - post_to_any(f): runs f() in a thread that the runtime chooses.
/// - make_strand(number): returns a strand, which has no thread of its own. Functions that are posted to a
///   strand (strand.post(f)) run in the order of posting, and never at the same time; functions of different
///   strands can run at the same time. Copies of a strand are the same strand. If a runtime has few places
///   that are serial, strands with different numbers can share one of them. A strand must not outlive the
///   runtime.
/// - run(): runs functions in all threads until finish() is called. It returns when all threads have ended.
///   If a function or a coroutine throws an exception, run() ends, and throws the first such exception. It
///   can be called once. Only the thread that has made the runtime can call it.
/// - finish(): ends run(), soon. It has no effect if it is called again.
///
/// Destroying a runtime frees all functions and coroutines that have not run to their end.
template <class R>
concept ThreadedRuntime = requires(R& runtime, std::size_t number, void (*function)()) {
    { R::homes_are } -> std::convertible_to<home_kind>;
    { runtime.threads() } -> std::same_as<std::size_t>;
    { runtime.homes() } -> std::same_as<std::size_t>;
    runtime.post(number, function);
    runtime.post_to_any(function);
    { runtime.make_strand(number) } -> std::copyable;
    runtime.make_strand(number).post(function);
    runtime.run();
    runtime.finish();
};

/// Timers that one thread arms and another thread cancels.
///
/// - arm(home, when, f): runs f() at the home when steady_clock has reached `when`, and never earlier. Only a
///   function of this home can call arm().
/// - cancel(timer, done): prevents the call of f() if f() has not begun. Afterwards, runs done() at the home
///   of the timer, and never inside cancel(). After done(), f() does not begin.
///
/// Destroying a timer's handle does not cancel the timer.
template <class R>
concept ThreadedTimers = ThreadedRuntime<R> && std::movable<typename R::timer> &&
    requires(R& runtime, std::size_t home, time_point when, void (*function)()) {
    { runtime.arm(home, when, function) } -> std::same_as<typename R::timer>;
    runtime.cancel(std::declval<typename R::timer>(), function);
};

/// TCP over loopback, with one listening port for all threads.
///
/// - task<void>: a coroutine, as in the Runtime concept.
/// - place: where a coroutine runs. The functions of one coroutine never run at the same time. The member
///   connect(port) is awaitable and returns a Stream that is connected to 127.0.0.1; it throws
///   std::system_error.
/// - spawn(home, make): calls make(place) at the home, and runs the coroutine that it returns. `make` is
///   destroyed when it has returned.
/// - serve(session): listens on 127.0.0.1, on a port that the kernel chooses, and returns the port. For each
///   connection, the runtime calls session(place, stream) at a place that it chooses, and runs the coroutine
///   that session returns. If a home is a thread, all homes get connections: in turn, or by the kernel's hash
///   (SO_REUSEPORT). Several threads can call `session` at the same time. It can be called once.
/// - event: a signal to a coroutine. The coroutine makes the event with its place, and awaits wait() once.
///   Any thread can call set() once, before or after wait(). The event must exist until wait() has ended.
template <class R>
concept ThreadedSockets = ThreadedRuntime<R> && Stream<typename R::stream> &&
    std::copyable<typename R::place> && std::constructible_from<typename R::event, typename R::place> &&
    requires(R& runtime, typename R::place place, typename R::event& event, std::uint16_t port,
             typename R::template task<void> (*make)(typename R::place),
             typename R::template task<void> (*session)(typename R::place, typename R::stream)) {
    runtime.spawn(std::size_t(), make);
    { runtime.serve(session) } -> std::same_as<std::uint16_t>;
    place.connect(port);  // awaitable, returns R::stream
    event.set();
    event.wait();  // awaitable
};

}  // namespace loopbench::bench
