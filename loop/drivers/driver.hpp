// What a driver must offer: I/O that is started and then completes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "loop/clock.hpp"
#include "loop/io_operation.hpp"
#include "loop/operation.hpp"

namespace loopbench::loop {

/// A way to wait for the kernel. Not thread-safe, except wake().
///
/// - D(ready): completed operations are pushed to `ready`. Throws std::system_error when the kernel refuses.
/// - start(op): true when the operation was completed at once (op.result is set, nothing is queued); false
///   when it is pending now and will be pushed when it completes.
/// - cancel(op): op is pending; it will be pushed with -ECANCELED, or with its result if that came first.
/// - abandon(op): op is pending and its owner is going away; when this returns, neither the driver nor the
///   kernel knows it or its buffer any more, and it is not pushed.
/// - forget(fd): to be called before a descriptor is closed; what is pending on it completes with -ECANCELED.
/// - release(fd): whoever watched a descriptor that is not ours has ended, and may close it without a word.
///   When nothing is pending on it, nothing is remembered of it either: the number may mean another file next
///   time.
/// - wait(deadline): sleeps until something is pushed, wake() is called, or the deadline has come, and takes
///   what there is. A deadline of time_point::min() only takes what there is. It may return early, with
///   nothing.
/// - generation(fd): changes with every forget(fd), so that who goes on with a descriptor later can tell
///   whether it still is the one that it was.
/// - in_flight(): how many operations are pending.
/// - wake(): ends a wait(), the present one or the next; from any thread.
template <class D>
concept Driver = std::constructible_from<D, operation_queue&> &&
    requires(D& driver, io_operation& op, int fd, time_point deadline) {
    { driver.start(op) } -> std::same_as<bool>;
    driver.cancel(op);
    driver.abandon(op);
    driver.forget(fd);
    driver.release(fd);
    driver.wait(deadline);
    { driver.generation(fd) } -> std::same_as<std::uint32_t>;
    { driver.in_flight() } -> std::same_as<std::size_t>;
    { driver.wake() }
    noexcept;
};

/// As a deadline for Driver::wait(): do not sleep.
inline constexpr time_point do_not_wait = time_point::min();

}  // namespace loopbench::loop
