// The one place where readiness becomes completion.
//
// select, poll and epoll say that a descriptor is ready; the loop wants to hear that an operation is done.
// This driver makes the calls itself, remembers what it learned (so that it does not ask again where the
// answer would be EAGAIN), and leaves to its heirs what differs: how to watch descriptors and to wait.
//
// The calls are made when the kernel has said what is ready, all together. But where much was moved the last
// time, a descriptor is queued itself, and its call is made when its turn comes, just before its coroutine
// goes on: a hundred messages of 16 KiB would have left the caches before the first of them is looked at.
// (With a hundred small ones, it is the call after call that is the faster.)
#pragma once

#include <memory>

#include "loop/io/fd.hpp"
#include "loop/io/io.hpp"

namespace loopbench::loop {

/// What the kernel reports about one descriptor. An error or a hang-up makes both directions ready: the call
/// that is made then says what happened.
struct readiness_event {
    int fd;
    std::uint32_t generation;  // what generation_of() gave when it was watched
    bool in;
    bool out;
    bool hung_up;  // the peer will send no more, or the descriptor is broken: input stays ready for good
    bool urgent = false;  // there is out-of-band data, at which reads stop short (tcp(7)): the same follows
};

class readiness_driver : public driver {
public:
    /// For debug mode: the operation that goes on when `queued` is run, which may be a descriptor.
    static const operation& going_on(const operation& queued) noexcept;

    bool start(io_operation& op) override;
    void discard(io_operation& op) noexcept final;
    void close(int fd) noexcept final;
    void unwatch(int fd) noexcept final;
    void cancel_some(int fd, io_choice choice, io_queue& ended) noexcept final;
    void take_all(io_queue& ended) noexcept final;

    /// Returns early where calls are queued that the kernel has told of: until they are made, it is not asked
    /// for more, since by level it would look at the same descriptors, and name them, once more.
    void wait(time_point deadline) final {
        if (deadline != do_not_wait || reported_ == 0) wait_for_reports(deadline);
    }

protected:
    /// `edge_triggered`: of a descriptor that is watched for both directions the kernel reports changes only;
    /// of one for input alone, what is there, again and again. Then watch() is called once for a descriptor,
    /// or thrice (see vain_calls_max); otherwise whenever what is wanted changes.
    explicit readiness_driver(ready_queue& ready, bool edge_triggered) noexcept
        : driver(ready), edge_triggered_(edge_triggered) {}

    /// Report these from now on; neither: nothing more. Throws std::system_error when the descriptor cannot
    /// be watched (epoll: ENOSPC), and std::bad_alloc; not edge-triggered, never for less than is watched.
    virtual void watch(int fd, bool in, bool out) = 0;

    /// As wait(): calls report() for all that the kernel says.
    virtual void wait_for_reports(time_point deadline) = 0;

    /// Calls watch() for all that is watched: whoever the kernel reported to is another one now.
    void watch_all_anew();

    /// Serves who waits for this. It may call watch().
    void report(const readiness_event& event) noexcept;

    /// For the events of a descriptor that is watched. Another one after it is closed, so that what was on
    /// its way then is not taken for the next file's of its number.
    std::uint32_t generation_of(int fd) noexcept { return descriptors_[fd]->generation; }

private:
    struct direction : operation {
        io_queue waiting;
        readiness_driver* owner = nullptr;
        bool ready = true;         // false once a call has said EAGAIN, until the kernel says otherwise
        bool moves_much = false;   // the last call did
        bool is_queued = false;    // to make the call of the first that waits
        bool is_reported = false;  // when it is queued: since the kernel said so, not since more of them wait
    };
    static constexpr std::int64_t much_bytes = 4096;

    // An edge is told once, so that a read which has filled its buffer is followed by another one, and in a
    // Unix stream each read is. Where that has come to nothing so often in a row, messages are as long as
    // their buffers, or it is such a stream: from then on input is watched by level. The kernel then looks at
    // the descriptor once more for each report, which costs less than the call that is saved.
    //
    // Then a report gives one message, and many may wait: one of so many reads is tried all the same, and
    // where that has not been in vain, input is watched by edges again.
    //
    // By edges again, and for good, when nobody reads what is there, or a call has nothing to read in
    // spite of it: both would be told for ever. And when output has to wait, which by level would be told
    // whenever there is room.
    static constexpr std::uint8_t vain_calls_max = 8;
    static constexpr std::uint8_t by_edges_for_good = vain_calls_max + 1;
    static constexpr std::uint8_t starts_until_tried = 128;

    struct alignas(64) descriptor {
        direction in;  // with what follows in one cache line, which is most often all that is looked at
        std::uint32_t generation = 0;
        std::uint8_t vain_calls = 0;  // for input, by edges
        std::uint8_t starts_by_level = 0;
        bool watched_in = false;
        bool watched_out = false;
        bool always_ready = false;     // for input: hung up, or there is urgent data
        bool socket_is_known = false;  // the next was looked up
        bool is_tcp = false;           // a short read has left nothing
        direction out;
        direction urgent;

        direction& side_of(const io_operation& op) noexcept;
        bool is_by_level() const noexcept { return watched_in && !watched_out; }
    };

    descriptor& get(int fd);
    /// Null when nothing is known of it.
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
    std::size_t reported_ = 0;                                   // directions that are queued for that
    descriptor_table<std::unique_ptr<descriptor>> descriptors_;  // which stay where they are, queued or not
};

}  // namespace loopbench::loop
