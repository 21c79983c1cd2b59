// Awaiting an I/O operation.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

#include "loop/io_operation.hpp"
#include "loop/resumption.hpp"

namespace loopbench::loop {

/// What a read or a write came to. `error` is an errno, 0 when there was none; then `bytes` were moved. A
/// read of 0 bytes without an error is the end of the stream. After an error, `bytes` says what a write moved
/// before it.
struct io_result {
    std::size_t bytes = 0;
    int error = 0;

    std::error_code error_code() const noexcept { return {error, std::generic_category()}; }
};

/// One I/O operation, awaited. The result of await_resume() is the operation's: a count, a descriptor, or a
/// negated errno. Throws task_cancelled when the task was cancelled before the operation was done; an
/// operation that was done first keeps its result, so that no byte is lost.
template <class Loop>
class io_awaiter : protected resumption<io_operation> {
public:
    io_awaiter(Loop& loop, io_kind what, int descriptor, std::byte* buffer = nullptr,
               std::size_t bytes = 0) noexcept
        : loop_(loop) {
        kind = what;
        fd = descriptor;
        data = buffer;
        size = bytes;
        result = -ECANCELED;  // what a task that is cancelled already gets
    }
    ~io_awaiter() {
        if (pending) {
            loop_.driver().abandon(*this);
        } else if (kind == io_kind::accept && !taken_ && result >= 0) {
            ::close(static_cast<int>(result));  // accepted, and the loop ended before anyone heard of it
        }
    }

    void set_address(sockaddr_storage* where, socklen_t bytes) noexcept {
        address = where;
        address_bytes = bytes;
    }

    /// After receive_from: how long the sender's address is.
    socklen_t address_size() const noexcept { return address_bytes; }

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiter) {
        return suspend_while(waiter, [this] { return loop_.driver().start(*this); });
    }

    std::int64_t await_resume() {
        if (result == -ECANCELED) throw_if_cancelled();
        taken_ = true;
        return result;
    }

protected:
    /// Suspends and calls `start`, which is true when everything is done at once: then the task stays
    /// running, or is queued when it has completed enough without letting others run.
    template <class Promise, class Start>
    bool suspend_while(std::coroutine_handle<Promise> waiter, Start start) {
        if (!suspend(waiter, &withdraw)) return false;
        try {
            if (!start()) return true;
        } catch (...) {
            stay_running();
            throw;
        }
        const bool moved_bytes = result > 0 && kind != io_kind::accept;
        if (loop_.may_complete_inline(moved_bytes ? static_cast<std::size_t>(result) : 0)) {
            stay_running();
            return false;
        }
        this->complete = &resumption::resume_when_run;
        loop_.ready().push(*this);
        return true;
    }

    Loop& loop_;

private:
    static void withdraw(suspension* place) {
        auto& self = *static_cast<io_awaiter*>(place);
        if (self.pending) self.loop_.driver().cancel(self);
    }

    bool taken_ = false;  // the result belongs to who awaited it
};

/// A single read: at least one byte, the end, or an error.
template <class Loop>
class read_awaiter : public io_awaiter<Loop> {
public:
    read_awaiter(Loop& loop, io_kind what, int descriptor, std::span<std::byte> buffer) noexcept
        : io_awaiter<Loop>(loop, what, descriptor, buffer.data(), buffer.size()) {}

    io_result await_resume() {
        const std::int64_t outcome = io_awaiter<Loop>::await_resume();
        if (outcome < 0) return {.bytes = 0, .error = static_cast<int>(-outcome)};
        return {.bytes = static_cast<std::size_t>(outcome), .error = 0};
    }
};

/// Writes until the kernel has taken every byte: a short write is continued without waking the task.
template <class Loop>
class write_all_awaiter : public io_awaiter<Loop> {
public:
    write_all_awaiter(Loop& loop, io_kind what, int descriptor, std::span<const std::byte> bytes) noexcept
        // io_operation has one pointer for both directions; a write does not write through it.
        : io_awaiter<Loop>(loop, what, descriptor, const_cast<std::byte*>(bytes.data()), bytes.size()) {
        this->complete = &go_on;
    }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiter) {
        generation_ = generation();
        return this->suspend_while(waiter, [this] { return write_the_rest(); });
    }

    io_result await_resume() {
        // What was written before the task was cancelled is reported; the cancellation is left to the next
        // await.
        if (written_ == 0) static_cast<void>(io_awaiter<Loop>::await_resume());
        return {.bytes = written_, .error = this->result < 0 ? static_cast<int>(-this->result) : 0};
    }

private:
    static void go_on(operation* op, completion how) {
        if (how != completion::run) return io_awaiter<Loop>::resume_when_run(op, how);
        auto& self = *static_cast<write_all_awaiter*>(op);
        if (self.has_more()) {
            // A driver that could not take the operation back gives a part: the cancelled write ends there.
            if (self.cancel_requested()) {
                self.result = -ECANCELED;
            } else if (!self.write_the_rest()) {
                return;
            }
        }
        self.resume();
    }

    // A closed stream has none, and the driver refuses it.
    std::uint32_t generation() { return this->fd < 0 ? 0 : this->loop_.driver().generation(this->fd); }

    // True when everything is written, or an error ends it; false when the kernel is waited for. Between two
    // parts the stream may have been closed, and its number may belong to another by now.
    bool write_the_rest() {
        do {
            if (generation() != generation_) {
                this->result = -ECANCELED;
                return true;
            }
            if (!this->loop_.driver().start(*this)) return false;
        } while (has_more());
        return true;
    }

    // Takes the last result into account.
    bool has_more() noexcept {
        if (this->result <= 0) return false;
        const auto count = static_cast<std::size_t>(this->result);
        written_ += count;
        this->data += count;
        this->size -= count;
        return this->size != 0;
    }

    std::size_t written_ = 0;
    std::uint32_t generation_ = 0;  // of the descriptor, when the write began
};

}  // namespace loopbench::loop
