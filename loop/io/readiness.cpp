#include "loop/io/readiness.hpp"

#include <netinet/in.h>

namespace loopbench::loop {

namespace {

// Returns true for a TCP socket. Not inlined, because the caller runs for each operation, but needs this
// check only once per descriptor.
[[gnu::noinline]] bool is_tcp_socket(int fd) noexcept {
    int protocol = 0;
    socklen_t bytes = sizeof protocol;
    static_cast<void>(::getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &bytes));
    return protocol == IPPROTO_TCP;
}

[[gnu::noinline]] bool is_listener(int fd) noexcept {
    int listens = 0;
    socklen_t bytes = sizeof listens;
    static_cast<void>(::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes));
    return listens != 0;
}

}  // namespace

inline readiness_driver::direction& readiness_driver::descriptor::side_of(const io_operation& op) noexcept {
    if (op.kind == io_kind::urgent_call) [[unlikely]]
        return urgent;
    return is_input(op.kind) ? in : out;
}

// Attempts the operation, and records whether the descriptor is still ready. A receive that returns fewer
// bytes than requested has usually drained the stream. In this case, the driver treats the stream as not
// ready, so that it does not make the next call, which would return EAGAIN (epoll(7), "Do I need to
// continuously read/write").
inline bool readiness_driver::try_now(descriptor& d, direction& side, io_operation& op) noexcept {
    const bool done = attempt(op);
    if (op.result > 0) side.moves_much = op.result >= much_bytes && op.kind != io_kind::accept;
    const bool is_short =
        op.kind == io_kind::receive && op.result > 0 && static_cast<std::size_t>(op.result) < op.size;
    const bool is_reported_again =
        edge_triggered_ && d.is_watched_by_level() && &side == &d.in && !d.always_ready;
    if (!done || is_reported_again || (is_short && drained_by_short_read(op.fd, d))) side.ready = false;
    return done;
}

// Returns true if a short read means that the stream has no more data. Some reads are short although more
// data is available: at the urgent mark of TCP, at the end of each message on sockets that keep messages
// apart, and in a Unix stream after a message that carries descriptors (unix(7)). Edge triggering would not
// report the remaining data; therefore an edge-triggered driver relies on a short read only for TCP sockets.
// Returns false after a hang-up, because the end of the stream must still be read.
bool readiness_driver::drained_by_short_read(int fd, descriptor& d) noexcept {
    if (edge_triggered_ && !d.socket_is_known) [[unlikely]] {
        d.socket_is_known = true;
        d.is_tcp = is_tcp_socket(fd);
    }
    return !d.always_ready && (!edge_triggered_ || d.is_tcp);
}

// Makes the input level-triggered after too many operations in a row whose first system call returned EAGAIN.
// Operations of the kind `readable` are not counted: their descriptors may be closed without notice
// (unwatch()), but a level-triggered descriptor must be removed from the epoll set before it is closed.
// Listeners never become level-triggered, because each report would provide only one of many waiting
// connections.
void readiness_driver::count_vain_calls(descriptor& d, const io_operation& op, bool done) const noexcept {
    const bool may_be_by_level = edge_triggered_ && is_input(op.kind) && op.kind != io_kind::readable &&
                                 d.out.waiting.empty() && d.urgent.waiting.empty();
    if (!may_be_by_level || d.wanted == input_watch::by_edges_for_good) return;
    if (done) {
        d.wanted = input_watch::by_edges;
        d.vain_calls = 0;
    } else if (d.wanted == input_watch::by_edges && ++d.vain_calls == vain_calls_max) {
        d.wanted = is_listener(op.fd) ? input_watch::by_edges_for_good : input_watch::by_level;
    }
}

bool readiness_driver::is_to_be_tried(descriptor& d, const direction& side) noexcept {
    if (side.ready) return true;
    return d.wanted == input_watch::by_level && &side == &d.in &&
           ++d.starts_by_level % starts_until_tried == 0;
}

readiness_driver::descriptor& readiness_driver::get(int fd) {
    std::unique_ptr<descriptor>& d = descriptors_.get(fd);
    if (d == nullptr) [[unlikely]]
        d = std::make_unique<descriptor>();
    return *d;
}
readiness_driver::descriptor* readiness_driver::known(int fd) noexcept {
    const std::unique_ptr<descriptor>* const d = descriptors_.find(fd);
    return d == nullptr ? nullptr : d->get();
}

bool readiness_driver::start(io_operation& op) {
    if (op.fd < 0) [[unlikely]] {
        op.result = -EBADF;
        return true;
    }
    if (op.kind == io_kind::urgent_call && !edge_triggered_) [[unlikely]] {
        op.result = -EOPNOTSUPP;
        return true;
    }
    descriptor& d = get(op.fd);
    direction& side = d.side_of(op);
    if (side.waiting.empty() && is_to_be_tried(d, side)) {
        const bool done = try_now(d, side, op);
        count_vain_calls(d, op, done);
        if (done) return true;
    }
    if (&side != &d.in && d.wanted == input_watch::by_level) [[unlikely]]
        d.wanted = input_watch::by_edges_for_good;
    side.waiting.push(op);
    try {
        watch_what_is_wanted(op.fd, d);
    } catch (...) {
        d.wanted = input_watch::by_edges_for_good;
        side.waiting.remove(op);
        throw;
    }
    set_pending(op);
    return false;
}

void readiness_driver::discard(io_operation& op) noexcept {
    descriptor& d = *descriptors_[op.fd];
    d.side_of(op).waiting.remove(op);
    set_not_pending(op);
    if (!edge_triggered_) watch_what_is_wanted(op.fd, d);
}

void readiness_driver::close(int fd) noexcept {
    descriptor* const d = known(fd);
    if (d == nullptr) return;
    cancel_all(d->in.waiting);
    cancel_all(d->out.waiting);
    cancel_all(d->urgent.waiting);
    // Clearing the flags saves an epoll_ctl(2), because close(2) removes the descriptor from the epoll set.
    // If the descriptor has a duplicate, the kernel may report it once more; report() ignores this event.
    if (edge_triggered_ && !d->is_watched_by_level()) d->watched_in = d->watched_out = false;
    forget(fd, *d);
}

void readiness_driver::cancel_some(int fd, io_choice choice, io_queue& ended) noexcept {
    descriptor* const d = known(fd);
    if (d == nullptr) return;
    end_some(d->in.waiting, choice, ended);
    end_some(d->out.waiting, choice, ended);
    end_some(d->urgent.waiting, choice, ended);
    if (!edge_triggered_) watch_what_is_wanted(fd, *d);
}

void readiness_driver::take_all(io_queue& ended) noexcept {
    for (int fd = 0; descriptors_.find(fd) != nullptr; ++fd) cancel_some(fd, {}, ended);
}

// Forgets the descriptor if no operation is waiting. A descriptor that was closed before this call and has a
// duplicate may still be in the epoll set. report() ignores its events, because forget() has changed the
// generation.
void readiness_driver::unwatch(int fd) noexcept {
    descriptor* const d = known(fd);
    if (d != nullptr && d->in.waiting.empty() && d->out.waiting.empty() && d->urgent.waiting.empty())
        forget(fd, *d);
}

void readiness_driver::forget(int fd, descriptor& d) noexcept {
    if (d.watched_in || d.watched_out) watch(fd, false, false);
    d.watched_in = d.watched_out = d.always_ready = d.socket_is_known = d.is_tcp = false;
    d.in.ready = d.out.ready = d.urgent.ready = true;
    d.in.moves_much = d.out.moves_much = d.urgent.moves_much = false;
    d.wanted = input_watch::by_edges;
    d.vain_calls = 0;
    ++d.generation;
}

void readiness_driver::watch_what_is_wanted(int fd, descriptor& d) {
    const bool in = edge_triggered_ || !d.in.waiting.empty();
    const bool out = edge_triggered_ ? d.wanted != input_watch::by_level : !d.out.waiting.empty();
    if (in == d.watched_in && out == d.watched_out) return;
    watch(fd, in, out);
    d.watched_in = in;
    d.watched_out = out;
}

void readiness_driver::watch_all_anew() {
    for (int fd = 0; descriptors_.find(fd) != nullptr; ++fd) {
        const descriptor* const d = known(fd);
        if (d != nullptr && (d->watched_in || d->watched_out)) watch(fd, d->watched_in, d->watched_out);
    }
}

void readiness_driver::report(const readiness_event& event) noexcept {
    descriptor& d = *descriptors_[event.fd];
    if (d.generation != event.generation) return;
    d.always_ready |= event.hung_up || event.urgent;
    if (d.wanted == input_watch::by_level && d.in.waiting.empty()) d.wanted = input_watch::by_edges_for_good;
    if (event.urgent || event.hung_up) serve(d, d.urgent);  // first, because a read of the input passes it
    if (event.in || event.hung_up) serve(d, d.in);
    if (event.out || event.hung_up) serve(d, d.out);
    watch_as_before(event.fd, d);
}

// Watches the directions that the waiting operations need. If watching fails, the descriptor was closed
// without notice; then the driver forgets the descriptor.
void readiness_driver::watch_as_before(int fd, descriptor& d) noexcept {
    try {
        watch_what_is_wanted(fd, d);
    } catch (...) {
        forget(fd, d);
    }
}

// Makes the descriptor's input permanently edge-triggered after the kernel reported it as ready but the call
// returned EAGAIN. Otherwise, the kernel would report the level-triggered descriptor again and again. This
// happens if a socket's error queue has an entry (IP_RECVERR, SO_TIMESTAMPING), or if a datagram socket is
// shut down.
void readiness_driver::was_told_in_vain(descriptor& d, const direction& side) const noexcept {
    if (edge_triggered_ && &side == &d.in && d.is_watched_by_level())
        d.wanted = input_watch::by_edges_for_good;
}

// Makes the system calls of the waiting operations while the direction is ready. If the last call in this
// direction moved much data, queues the direction instead, so that the next call is made just before its
// coroutine resumes. A shared driver always does this: in Asio, a callback can still cancel an operation that
// is ready, and then the bytes must stay in the socket.
void readiness_driver::serve(descriptor& d, direction& side) noexcept {
    side.ready = true;
    if (side.moves_much || lock() != nullptr) return queue(side, /*is_reported=*/true);
    while (!side.waiting.empty() && side.ready) {
        io_operation& op = side.waiting.front();
        if (!try_now(d, side, op)) return was_told_in_vain(d, side);
        side.waiting.pop();
        complete(op, op.result);
    }
}

void readiness_driver::queue(direction& side, bool is_reported) noexcept {
    if (side.waiting.empty() || !side.ready || std::exchange(side.is_queued, true)) return;
    side.is_reported = is_reported;
    if (is_reported) ++reported_;
    side.owner = this;
    side.complete = &run_or_discard;
    ready().push(side);
}

// Makes the system call of the first waiting operation. Returns the operation, or null if the call returned
// EAGAIN. Does nothing if the operation was cancelled or the descriptor was closed since the direction was
// queued.
inline io_operation* readiness_driver::take_done(direction& side, completion how) {
    const with_lock using_operations(*this);
    side.is_queued = false;
    if (side.is_reported) --reported_;
    if (how == completion::discard || side.waiting.empty() || !side.ready) return nullptr;
    io_operation& first = side.waiting.front();
    descriptor& d = *descriptors_[first.fd];
    if (!try_now(d, side, first)) {
        was_told_in_vain(d, side);
        watch_as_before(first.fd, d);
        return nullptr;
    }
    if (first.result > 0) ready().budget.use(work_budget::units_of(static_cast<std::size_t>(first.result)));
    side.waiting.pop();
    set_not_pending(first);
    if (!side.waiting.empty()) queue(side, /*is_reported=*/false);
    if (!edge_triggered_) watch_what_is_wanted(first.fd, d);
    return &first;
}

void readiness_driver::run_or_discard(operation* op, completion how) {
    auto& side = *static_cast<direction*>(op);
    io_operation* const done = side.owner->take_done(side, how);
    if (done != nullptr) done->complete(done, completion::run);
}

const operation& readiness_driver::going_on(const operation& queued) noexcept {
    if (queued.complete != &run_or_discard) return queued;
    auto& waiting = static_cast<const direction&>(queued).waiting;
    return waiting.empty() ? queued : waiting.front();
}

}  // namespace loopbench::loop
