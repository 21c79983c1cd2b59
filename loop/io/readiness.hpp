// The one place where readiness becomes completion.
//
// select, poll and epoll report that a descriptor is ready; the loop needs to know that an operation is done.
// This driver makes the system calls itself and remembers their results (so that it does not repeat a call
// that would return EAGAIN). Derived classes implement the rest: how to watch descriptors and how to wait.
//
// The driver makes the calls of all reported descriptors together, right after the kernel's report. But if
// the last call on a descriptor moved much data, the driver queues the descriptor instead, and makes the call
// when the ready queue reaches the descriptor, just before the coroutine resumes. Otherwise a hundred
// messages of 16 KiB would have left the caches before the first of them is processed. (For a hundred small
// messages, it is faster to make all calls together.)
#pragma once

#include <memory>

#include "loop/io/fd.hpp"
#include "loop/io/io.hpp"

namespace loopbench::loop {

/// A report of the kernel about one descriptor. An error or a hang-up makes both directions ready; the next
/// call then returns the error.
struct readiness_event {
    int fd;
    std::uint32_t generation;  // the value of generation_of() when it was watched
    bool in;
    bool out;
    bool hung_up;         // the peer will send no more, or the descriptor is broken: input stays ready
    bool urgent = false;  // out-of-band data, at which reads stop short (tcp(7)): input stays ready
};

class readiness_driver : public driver {
public:
    /// For debug mode: returns the operation that continues when `queued` runs; `queued` may be a descriptor.
    static const operation& going_on(const operation& queued) noexcept;

    bool start(io_operation& op) override;
    void discard(io_operation& op) noexcept final;
    void close(int fd) noexcept final;
    void unwatch(int fd) noexcept final;
    void cancel_some(int fd, io_choice choice, io_queue& ended) noexcept final;
    void take_all(io_queue& ended) noexcept final;

    /// Returns early while reported calls are queued. Until they are made, it does not ask the kernel for
    /// more: by level, the kernel would check and report the same descriptors again.
    void wait(time_point deadline) final {
        if (deadline != do_not_wait || reported_ == 0) wait_for_reports(deadline);
    }

protected:
    /// `edge_triggered`: for a descriptor that is watched in both directions, the kernel reports only
    /// changes; for one that is watched only for input, it reports the state again and again. Then watch() is
    /// called once per descriptor, or up to three times (see input_watch). Without `edge_triggered`,
    /// watch() is called whenever the wanted directions change.
    explicit readiness_driver(ready_queue& ready, bool edge_triggered) noexcept
        : driver(ready), edge_triggered_(edge_triggered) {}

    /// Reports these directions from now on; if both are false, nothing more. Throws std::system_error if the
    /// descriptor cannot be watched (epoll: ENOSPC), and std::bad_alloc. Without edge triggering, it must not
    /// throw if it only removes directions.
    virtual void watch(int fd, bool in, bool out) = 0;

    /// Like wait(): calls report() for every report of the kernel.
    virtual void wait_for_reports(time_point deadline) = 0;

    /// Calls watch() for every watched descriptor, because the kernel objects of the driver are new.
    void watch_all_anew();

    /// Serves the operations that wait for this event. It may call watch().
    void report(const readiness_event& event) noexcept;

    /// Returns the number that marks the events of a watched descriptor. It changes when the descriptor is
    /// closed, so that events that arrive later are not taken for those of the next file with the same
    /// number.
    std::uint32_t generation_of(int fd) noexcept { return descriptors_[fd]->generation; }

private:
    struct direction : operation {
        io_queue waiting;
        readiness_driver* owner = nullptr;
        bool ready = true;         // false after a call returned EAGAIN, until the kernel reports readiness
        bool moves_much = false;   // the last call moved much data
        bool is_queued = false;    // in the ready queue, to make the call of the first waiting operation
        bool is_reported = false;  // if queued: because of a report, not because more operations wait
    };
    static constexpr std::int64_t much_bytes = 4096;

    // How the input of a descriptor is to be watched on an edge-triggered driver.
    //
    // The kernel reports an edge only once, so a read that filled its buffer is followed by another read, and
    // in a Unix stream every read is. If vain_calls_max of these additional reads in a row get nothing, the
    // messages are as long as their buffers, or it is such a stream: from then on, input is watched by level.
    // The kernel then checks the descriptor once more for each report, which costs less than the saved call.
    //
    // By level, a report gives one message, although many may wait. So one of starts_until_tried reads is
    // tried without a report; if it gets something, input is watched by edges again.
    //
    // Input is watched by edges again, for good, if no operation reads the available data, or a call gets
    // nothing in spite of a report: by level, the kernel would report both for ever. The same happens when
    // output has to wait, because by level the kernel would report output whenever there is room.
    enum class input_watch : std::uint8_t { by_edges, by_level, by_edges_for_good };
    static constexpr std::uint8_t vain_calls_max = 8;
    static constexpr std::uint8_t starts_until_tried = 128;

    struct alignas(64) descriptor {
        direction in;  // in one cache line with the next members; usually no other line is needed
        std::uint32_t generation = 0;
        input_watch wanted = input_watch::by_edges;
        std::uint8_t vain_calls = 0;  // in a row, for input that is watched by edges
        std::uint8_t starts_by_level = 0;
        bool watched_in = false;
        bool watched_out = false;
        bool always_ready = false;     // for input: the peer hung up, or there is urgent data
        bool socket_is_known = false;  // is_tcp was looked up
        bool is_tcp = false;           // a short read means that nothing is left
        direction out;
        direction urgent;

        direction& side_of(const io_operation& op) noexcept;
        bool is_watched_by_level() const noexcept { return watched_in && !watched_out; }
    };

    descriptor& get(int fd);
    /// Returns null if nothing is known about the descriptor.
    descriptor* known(int fd) noexcept;
    void watch_what_is_wanted(int fd, descriptor& d);
    void watch_as_before(int fd, descriptor& d) noexcept;
    void was_told_in_vain(descriptor& d, const direction& side) const noexcept;
    void forget(int fd, descriptor& d) noexcept;
    bool try_now(descriptor& d, direction& side, io_operation& op) noexcept;
    bool drained_by_short_read(int fd, descriptor& d) noexcept;
    void count_vain_calls(descriptor& d, const io_operation& op, bool done) const noexcept;
    static bool is_to_be_tried(descriptor& d, const direction& side) noexcept;
    void serve(descriptor& d, direction& side) noexcept;
    void queue(direction& side, bool is_reported) noexcept;
    static void run_or_discard(operation* op, completion how);

    const bool edge_triggered_;
    std::size_t reported_ = 0;                                   // queued because of a report
    descriptor_table<std::unique_ptr<descriptor>> descriptors_;  // their addresses are stable
};

}  // namespace loopbench::loop
