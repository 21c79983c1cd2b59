// The common part of the select, poll and epoll drivers turns readiness into completion: it makes the
// operations' system calls, and skips calls that would return EAGAIN.
//
// The system calls for all reported descriptors are made together, right after the kernel's report. But if
// the last call on a descriptor moved much data, the descriptor is queued, and its next call is made just
// before the coroutine resumes. Otherwise, if a hundred messages of 16 KiB were received together, most of
// them would leave the caches before they are processed. (For a hundred small messages, making all calls
// together is faster.) A shared driver queues every reported descriptor, so that Asio programs can cancel.
#pragma once

#include <memory>

#include "loop/io/fd.hpp"
#include "loop/io/io.hpp"

namespace loopbench::loop {

/// The kernel's report about one descriptor. After an error or a hang-up, both directions are ready, because
/// the next call in each direction returns the error.
struct readiness_event {
    int fd;
    std::uint32_t generation;
    bool in;
    bool out;
    bool hung_up;         // no more data will arrive, or the descriptor is broken; then input stays ready
    bool urgent = false;  // out-of-band data has arrived; a read stops there (tcp(7)), but input stays ready
};

class readiness_driver : public driver {
public:
    /// Returns the operation that will run for the queued operation: if `queued` is a direction of a
    /// descriptor, the first operation that waits for this direction; otherwise `queued` itself.
    static const operation& going_on(const operation& queued) noexcept;

    bool start(io_operation& op) override;
    void discard(io_operation& op) noexcept final;
    void close(int fd) noexcept final;
    void unwatch(int fd) noexcept final;
    void cancel_some(int fd, io_choice choice, io_queue& ended) noexcept final;
    void take_all(io_queue& ended) noexcept final;

    /// Waits for reports of the kernel. Returns immediately if the deadline is do_not_wait and calls for
    /// earlier reports are still queued, because the kernel would report their level-triggered descriptors
    /// again.
    void wait(time_point deadline) final {
        if (deadline != do_not_wait || reported_ == 0) wait_for_reports(deadline);
    }

protected:
    /// Creates the driver. If `edge_triggered` is true, a descriptor that is watched in both directions is
    /// edge-triggered, and a descriptor that is watched only for input can be level-triggered; watch() is
    /// called one to three times per descriptor. If `edge_triggered` is false, watch() is called whenever the
    /// wanted directions change.
    explicit readiness_driver(ready_queue& ready, bool edge_triggered) noexcept
        : driver(ready), edge_triggered_(edge_triggered) {}

    /// Makes the kernel report the given directions of the descriptor. If `in` and `out` are false, the
    /// kernel stops watching the descriptor. Throws std::bad_alloc, or std::system_error if the descriptor
    /// cannot be watched (epoll: ENOSPC). Without edge triggering, a call that only removes directions must
    /// not throw.
    virtual void watch(int fd, bool in, bool out) = 0;

    virtual void wait_for_reports(time_point deadline) = 0;

    void watch_all_anew();

    void report(const readiness_event& event) noexcept;

    /// Returns a number that the driver stores in each event. The number changes when the descriptor is
    /// closed, so that a late event is not mistaken for an event of the next file with the same descriptor
    /// number.
    std::uint32_t generation_of(int fd) noexcept { return descriptors_[fd]->generation; }

private:
    struct direction : operation {
        io_queue waiting;
        readiness_driver* owner = nullptr;
        bool ready = true;  // false after a call returned EAGAIN, until the kernel reports readiness
        bool moves_much = false;
        bool is_queued = false;
        bool is_reported = false;  // queued because of a report, not because further operations wait
    };
    static constexpr std::int64_t much_bytes = 4096;

    // The trigger mode of a descriptor's input. At first, input is edge-triggered: the driver needs an
    // additional read after each read that filled its buffer, and in a Unix stream after every read. After
    // `vain_calls_max` additional reads in a row without data, input becomes level-triggered. The kernel then
    // checks the descriptor once more for each report, which costs less than the additional read.
    //
    // With level triggering, each report causes one read, although many messages may wait. Therefore one in
    // every `starts_until_tried` reads is tried without a report; if it returns data, input becomes
    // edge-triggered again.
    //
    // Input becomes edge-triggered permanently if no operation reads the available data, if a call returns
    // EAGAIN in spite of a report, or if output has to wait. In these cases, level triggering would report
    // the same event for ever.
    enum class input_watch : std::uint8_t { by_edges, by_level, by_edges_for_good };
    static constexpr std::uint8_t vain_calls_max = 8;
    static constexpr std::uint8_t starts_until_tried = 128;

    struct alignas(64) descriptor {
        direction in;  // `in` and the members up to `is_tcp` share one cache line
        std::uint32_t generation = 0;
        input_watch wanted = input_watch::by_edges;
        std::uint8_t vain_calls = 0;
        std::uint8_t starts_by_level = 0;
        bool watched_in = false;
        bool watched_out = false;
        bool always_ready = false;  // for input: the peer hung up, or there is urgent data
        bool socket_is_known = false;
        bool is_tcp = false;
        direction out;
        direction urgent;

        direction& side_of(const io_operation& op) noexcept;
        bool is_watched_by_level() const noexcept { return watched_in && !watched_out; }
    };

    descriptor& get(int fd);
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
    [[gnu::always_inline]] io_operation* take_done(direction& side, completion how);

    const bool edge_triggered_;
    std::size_t reported_ = 0;
    descriptor_table<std::unique_ptr<descriptor>> descriptors_;  // pointers, so that the addresses are stable
};

}  // namespace loopbench::loop
