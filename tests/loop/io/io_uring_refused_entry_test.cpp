// Tests the io_uring driver in a thread in which a seccomp filter makes io_uring_enter(2) fail temporarily or
// always.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/loop/io/uring_support.hpp"

namespace loopbench::loop {
namespace {

constexpr std::uint32_t argument(int index) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args)) + 8U * static_cast<std::uint32_t>(index);
}

/// Makes io_uring_enter(2) fail with EAGAIN if the call submits `submissions` requests (a full ring) and does
/// not wait. Returns false if seccomp filters are not allowed.
bool refuse_to_hand_over(std::uint32_t submissions) {
    sock_filter rules[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 5, __NR_io_uring_enter},
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, argument(1)},  // loads the argument to_submit
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, submissions},
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, argument(2)},  // loads the argument min_complete
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EAGAIN},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog filter{std::size(rules), rules};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// Makes io_uring_enter(2) fail with EPERM. Returns false if seccomp filters are not allowed.
bool refuse_entries() {
    sock_filter rules[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, __NR_io_uring_enter},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog filter{std::size(rules), rules};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

class uring_refused_entry_tests : public uring_tests {
protected:
    static constexpr unsigned submissions = 4;
    static constexpr uring_limits little_room{.submissions = submissions, .completions = 16, .buffers = 4};

    /// Runs `body` in a new thread, because a seccomp filter lasts until its thread ends.
    template <class Body>
    void in_a_thread(Body body) {
        std::thread(body).join();
        if (!seccomp_is_possible) GTEST_SKIP() << "no seccomp filter can be set here";
    }

    /// A full ring of read requests. After refuse_to_hand_over(), only a call that waits can submit these
    /// requests.
    class full_ring {
    public:
        explicit full_ring(bare_driver& bare) : bare_(bare) {
            for (counted_operation* op : reads_) bare_.start(*op);
        }
        ~full_ring() {
            for (counted_operation* op : reads_)
                if (op->pending) bare_.driver.discard(*op);
        }

        void hand_over() {
            pairs_[0].send("x");
            bare_.driver.wait(never);
            bare_.run_ready();
        }

    private:
        bare_driver& bare_;
        std::array<socket_pair, submissions> pairs_;
        counted_operation first_{io_kind::read, pairs_[0].ours.get()};
        counted_operation second_{io_kind::read, pairs_[1].ours.get()};
        counted_operation third_{io_kind::read, pairs_[2].ours.get()};
        counted_operation fourth_{io_kind::read, pairs_[3].ours.get()};
        std::array<counted_operation*, submissions> reads_{&first_, &second_, &third_, &fourth_};
    };

    bool seccomp_is_possible = true;
};

TEST_F(uring_refused_entry_tests, a_cancellation_is_submitted_later_if_the_ring_is_full) {
    in_a_thread([&] {
        bare_driver bare(little_room);
        const socket_pair pair;
        socket_pair closing;
        counted_operation cancelled(io_kind::read, pair.ours.get());
        counted_operation closed(io_kind::read, closing.ours.get());
        bare.start(cancelled);
        bare.start(closed);
        bare.look();
        if (!(seccomp_is_possible = refuse_to_hand_over(submissions))) return;
        full_ring full(bare);
        bare.driver.cancel(cancelled);
        bare.driver.close(closing.ours.get());
        closing.ours.reset();
        bare.look();
        EXPECT_TRUE(cancelled.pending && closed.pending)
            << "the completion queue still has space, so this test checks nothing";
        full.hand_over();
        bare.run(cancelled);
        bare.run(closed);
        EXPECT_EQ(cancelled.result, -ECANCELED);
        EXPECT_EQ(closed.result, -ECANCELED);
        EXPECT_EQ(cancelled.completions + closed.completions, 2);
    });
}

TEST_F(uring_refused_entry_tests, the_feed_of_a_closed_descriptor_ends_later_if_the_ring_is_full) {
    in_a_thread([&] {
        bare_driver bare(little_room);
        socket_pair old;
        counted_operation receive(io_kind::receive, old.ours.get());
        bare.start(receive);
        bare.look();
        if (!(seccomp_is_possible = refuse_to_hand_over(submissions))) return;
        full_ring full(bare);
        const int number = old.ours.get();
        bare.driver.close(number);
        const socket_pair next;
        ASSERT_EQ(::dup3(next.ours.get(), number, O_CLOEXEC), number);
        bare.run_ready();
        EXPECT_EQ(receive.result, -ECANCELED);
        EXPECT_EQ(old.send("not for the next one"), 20)
            << "the completion queue still has space, so this test checks nothing";
        full.hand_over();
        counted_operation of_the_next(io_kind::receive, number);
        bare.start(of_the_next);
        bare.look();
        char byte;
        EXPECT_EQ(::recv(old.theirs.get(), &byte, 1, 0), 0) << "the ring still keeps the file open";
        EXPECT_EQ(of_the_next.completions, 0);
        next.send("for the next one");
        bare.run(of_the_next);
        EXPECT_EQ(of_the_next.received(), "for the next one");
        bare.driver.close(number);
    });
}

TEST_F(uring_refused_entry_tests, an_operation_starts_later_if_the_ring_is_full) {
    in_a_thread([&] {
        bare_driver bare(little_room);
        const std::array<socket_pair, submissions + 2> pairs;
        std::vector<std::unique_ptr<counted_operation>> early;
        for (const socket_pair& pair : pairs) {
            early.push_back(std::make_unique<counted_operation>(io_kind::read, pair.ours.get()));
            bare.start(*early.back());
            pair.send("x");
        }
        if (!(seccomp_is_possible = refuse_to_hand_over(submissions))) return;
        EXPECT_THROW(bare.driver.wait(do_not_wait), std::system_error)
            << "the filter must make this entry fail";
        bare.driver.discard(*early.front());  // submits all requests in the ring, because it waits
        for (std::size_t i = 1; i < early.size(); ++i) bare.run(*early[i]);
        EXPECT_EQ(early.front()->completions, 0);
        EXPECT_EQ(bare.driver.pending(), 0U);
    });
}

TEST_F(uring_refused_entry_tests, a_discard_returns_even_if_the_kernel_refuses_all_entries) {
    ::alarm(10);
    in_a_thread([&] {
        bare_driver bare;
        const socket_pair pair;
        counted_operation read(io_kind::read, pair.ours.get());
        bare.start(read);
        bare.look();
        if (!(seccomp_is_possible = refuse_entries())) return;
        bare.driver.discard(read);
        EXPECT_FALSE(read.pending);
        EXPECT_EQ(bare.driver.pending(), 0U);
        EXPECT_THROW(bare.driver.wait(never), std::system_error);
    });
    ::alarm(0);
}

}  // namespace
}  // namespace loopbench::loop
