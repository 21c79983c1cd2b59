// Completions on their way out of the kernel: whose each is, and what it means.
#include <cerrno>

#include "loop/drivers/io_uring.hpp"

namespace loopbench::loop {

namespace {

// Readiness first and then the call, for what would need more than a pointer in the submission.
bool needs_poll(io_kind kind) noexcept {
    return kind == io_kind::readable || kind == io_kind::writable || kind == io_kind::receive_from ||
           kind == io_kind::send_to;
}

}  // namespace

void io_uring_driver::on_completion(const uring_completion& completion) {
    const auto index = static_cast<std::uint32_t>(completion.tag);
    const auto generation = static_cast<std::uint32_t>(completion.tag >> 32) & generation_mask;
    switch (static_cast<owner>(completion.tag >> 56)) {
        case owner::nobody:
            return;
        case owner::request:
            return on_request(generation, index, completion);
        case owner::feed:
            return on_feed(generation, static_cast<int>(index), completion);
        case owner::listener:
            return on_connection(generation, static_cast<int>(index), completion);
        case owner::timer:
            armed_ = never;
            return;
        case owner::wake:
            if (completion.is_final()) arm_wake();
            return;
    }
}

void io_uring_driver::on_request(std::uint32_t generation, std::uint32_t slot,
                                 const uring_completion& completion) {
    const request r = requests_[slot];
    if ((r.generation & generation_mask) != generation) return;
    io_operation& op = *r.op;
    descriptor& d = descriptor_of(op.fd);
    free_slot(slot, d);
    std::int64_t result = completion.result;
    const bool withdrawn = r.cancelled || r.life != d.life;
    if (result == -EINTR) {  // how a cancelled request ends that a worker thread was busy with
        if (!withdrawn) return submit(op);
        result = -ECANCELED;
    }
    if (needs_poll(op.kind) && result >= 0) {
        if (op.kind == io_kind::readable || op.kind == io_kind::writable) {
            result = 0;
        } else {
            result = withdrawn ? -ECANCELED : attempt(op);
            if (result == -EAGAIN) return submit(op);
        }
    } else if (op.kind == io_kind::accept && r.life == d.life) {
        d.ahead = (completion.flags & IORING_CQE_F_SOCK_NONEMPTY) != 0;
        d.listening |= result >= 0;
        if (!d.waiting.empty()) fed_.push_back(op.fd);
    } else if (op.kind == io_kind::receive && r.life == d.life &&
               result < static_cast<std::int64_t>(op.size)) {
        d.ahead = result >= static_cast<std::int64_t>(uring_buffers::buffer_bytes);
    }
    complete(op, result);
}

void io_uring_driver::complete(io_operation& op, std::int64_t result) noexcept {
    op.result = result;
    op.pending = false;
    --in_flight_;
    ready_.push(op);
}

}  // namespace loopbench::loop
