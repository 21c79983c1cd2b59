#include "tests/simulation/program.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <utility>

#include "loop/coro/timeout.hpp"

namespace loopbench::simulation {

using namespace std::chrono_literals;

namespace {

// The number of turns within which a possible event must happen. Even on a slow kernel, no design needs 3,000
// turns, so a later event is a fault of the loop.
constexpr std::uint64_t starving_turns = 3'000;
constexpr std::uint64_t turns_between_looks = 64;

constexpr std::string_view stubborn = "a stubborn sleeper";

/// Returns the byte at `offset` in the data that one end of the connection writes. If `by_client` is true,
/// this end is the client, otherwise the server.
std::byte content(std::uint64_t connection, bool by_client, std::uint64_t offset) noexcept {
    const std::uint64_t mixed = (connection * 2 + by_client + offset * 0x100'0001) * 0x9E37'79B9'7F4A'7C15;
    return static_cast<std::byte>(mixed >> 56);
}

}  // namespace

tally& tally::operator+=(const tally& other) noexcept {
    turns += other.turns;
    tasks += other.tasks;
    cancelled += other.cancelled;
    sleeps += other.sleeps;
    connections += other.connections;
    bytes += other.bytes;
    posts += other.posts;
    return *this;
}

class program::waiting {
public:
    waiting(program& of, std::string_view what, std::function<bool()> is_possible)
        : waits_(of.waits_), place_(waits_.insert(waits_.end(), {what, std::move(is_possible)})) {}
    waiting(const waiting&) = delete;
    waiting& operator=(const waiting&) = delete;
    ~waiting() { waits_.erase(place_); }

private:
    std::list<wait>& waits_;
    std::list<wait>::iterator place_;
};

program::program(kernel& of, const promises& promised)
    : kernel_(of), chance_(of.random), promised_(promised), actors_max_(4 + chance_.below(60)) {}
program::~program() {
    kernel_.other_threads = nullptr;
    kernel_.before_sleep = nullptr;
    kernel_.who_waits = nullptr;
}

void program::begin(loop::event_loop& on) {
    loop_ = &on;
    kernel_.other_threads = [this] { act_as_other_threads(); };
    kernel_.before_sleep = [this] { look_before_sleep(); };
    kernel_.who_waits = [this] {
        std::map<std::string, int> counts;
        for (const actor& each : actors_)
            ++counts[fmt::format("{}{}", each.what, each.is_cancelled ? ", cancelled" : "")];
        for (const wait& each : waits_)
            ++counts[fmt::format("{}{}", each.what, each.is_possible() ? ", which could have ended" : "")];
        std::string all = "; waiting tasks:";
        for (const auto& [what, count] : counts) all += fmt::format("\n  {} x {}", count, what);
        return all;
    };
}

void program::expect(bool holds, std::string_view what) const {
    if (!holds) fail(std::string(what));
}

loop::time_point program::after(nanoseconds duration) const noexcept {
    return loop::time_point(kernel_.time() + duration);
}

void program::between_turns(bool may_begin) {
    may_begin_ = may_begin;
    ++done.turns;
    see_who_has_ended();
    while (may_begin && actors_.size() < actors_max_) begin_one();
    if (may_begin && chance_.one_in(100)) cancel_a_random_actor();
    if (may_begin && chance_.one_in(16))
        kernel_.after(chance_.time_of_any_magnitude(24), [this] {
            if (loop_ != nullptr) post();
        });
    if (!may_begin) {  // only a cancellation ends a server
        for (actor& each : actors_)
            if (each.what == "a server" && !each.is_cancelled) cancel(each);
    }
    if (done.turns % turns_between_looks == 0 && !promised_.starves) look_for_starving();
}

bool program::is_over() const noexcept {
    return actors_.empty() &&
           std::ranges::all_of(threads_, [](const other_thread& each) { return each.run == each.posted; });
}

void program::let_go() noexcept {
    actors_.clear();
    kernel_.other_threads = nullptr;
    kernel_.before_sleep = nullptr;
    loop_ = nullptr;
}

void program::expect_nothing_waits() const {
    expect(waits_.empty(), "a task remains after the loop is destroyed");
    expect(kernel_.open_descriptors() == 0, "a descriptor remains open after the loop is destroyed");
}

void program::see_who_has_ended() {
    for (auto each = actors_.begin(); each != actors_.end();) {
        const auto here = each++;
        if (!here->handle.done()) continue;
        try {
            here->handle.outcome().result();
        } catch (const loop::task_cancelled&) {
            expect(here->is_cancelled,
                   fmt::format("{} ends as cancelled, but was not cancelled", here->what));
            ++done.cancelled;
        } catch (const std::exception& failure) {
            fail(fmt::format("{} fails: {}", here->what, failure.what()));
        }
        kernel_.log.note(kernel_.time(), here->what);
        actors_.erase(here);
    }
}

void program::begin(std::string_view what, task<void> work) {
    actors_.push_back({what, loop::create_task(*loop_, std::move(work))});
    ++done.tasks;
}

void program::begin_one() {
    switch (chance_.below(12)) {
        case 0:
            if (chance_.one_in(4)) return begin(stubborn, sleep_on());
            return begin("a sleeper", sleep_often());
        case 1:
            return begin("a yielder", yield_often());
        case 2:
            return begin("a gatherer", gather_often());
        case 3:
            return begin("a racer", race_once());
        case 4:
            return begin("a limiter", set_limits());
        case 5:
            return begin("a task with a future", share_future());
        case 6:
            return begin("a caller", call_later());
        case 7:
            if (servers_ < actors_max_ / 4) return begin("a server", serve(chance_.one_in(3)));
            [[fallthrough]];
        default:
            return begin("a client", be_client());
    }
}

void program::cancel(actor& chosen) {
    chosen.is_cancelled = true;
    chosen.cancelled_at = done.turns;
    kernel_.log.note(kernel_.time(), "cancel");
    if (!kernel_.is_planted(defect::dropped_cancellation, 5)) chosen.handle.cancel();
}

void program::cancel_a_random_actor() {
    if (actors_.empty()) return;
    actor& chosen = *std::next(actors_.begin(), static_cast<std::ptrdiff_t>(chance_.below(actors_.size())));
    if (!chosen.is_cancelled && !chosen.handle.done()) cancel(chosen);
}

void program::look_for_starving() {
    const std::uint64_t now = done.turns;
    for (wait& each : waits_) {
        if (!each.is_possible()) {
            each.possible_since = 0;
        } else if (each.possible_since == 0) {
            each.possible_since = now;
        } else if (now - each.possible_since > starving_turns) {
            fail(fmt::format("{} could have ended {} turns ago, and still waits", each.what,
                             now - each.possible_since));
        }
    }
    for (const actor& each : actors_) {
        if (each.is_cancelled && each.what != stubborn && now - each.cancelled_at > starving_turns)
            fail(fmt::format("{} was cancelled {} turns ago, and still runs", each.what,
                             now - each.cancelled_at));
    }
    for (const other_thread& each : threads_) {
        if (!each.turns.empty() && now - each.turns.front() > starving_turns)
            fail(
                fmt::format("a function that was posted {} turns ago has not run", now - each.turns.front()));
    }
}

// Fails the run if the loop is about to sleep although an operation could end. Sleep operations are excepted,
// because a timer can become due between the computation of a relative timeout and the sleep.
void program::look_before_sleep() {
    for (const wait& each : waits_) {
        if (each.what != "a sleep" && each.is_possible())
            fail(fmt::format("the loop sleeps although {} could end", each.what));
    }
    if (std::ranges::any_of(threads_, [](const other_thread& each) { return each.run != each.posted; }))
        fail("the loop sleeps although a posted function has not run");
}

void program::act_as_other_threads() {
    if (loop_ != nullptr && may_begin_ && chance_.one_in(100)) post();
}

void program::post() {
    other_thread& by = threads_[chance_.below(threads_.size())];
    std::vector<std::uint64_t> numbers(1 + chance_.below(chance_.one_in(50) ? 200 : 4));
    std::iota(numbers.begin(), numbers.end(), by.posted);
    by.posted += numbers.size();
    by.turns.insert(by.turns.end(), numbers.size(), done.turns);
    if (numbers.size() > 1 && kernel_.is_planted(defect::swapped_posts, 50))
        std::swap(numbers.front(), numbers.back());
    if (kernel_.is_planted(defect::dropped_post, 50)) numbers.pop_back();
    for (const std::uint64_t number : numbers) {
        loop_->post_from_any_thread([this, &by, number] {
            expect(number == by.run, "functions that a thread has posted run out of order");
            ++by.run;
            by.turns.pop_front();
            ++done.posts;
            if (may_begin_ && chance_.one_in(20)) cancel_a_random_actor();
        });
    }
}

loop::task<void> program::sleep(nanoseconds duration) {
    const loop::time_point deadline = after(duration);
    const auto is_due = [this, deadline] { return after(0ns) >= deadline; };
    const waiting noted(*this, "a sleep", is_due);
    co_await loop_->sleep_until(deadline);
    expect(is_due(), "a sleep ends before its deadline");
    ++done.sleeps;
}

loop::task<void> program::pause() {
    if (chance_.one_in(3)) {
        co_await loop_->yield();
    } else {
        co_await sleep(some_time());
    }
}

loop::task<void> program::sleep_often() {
    for (std::uint64_t times = 1 + chance_.below(20); times > 0; --times)
        co_await sleep(chance_.one_in(10) ? -some_time() : some_time());
}

loop::task<void> program::sleep_on() {
    int cancellations = 0;
    for (std::uint64_t times = 1 + chance_.below(20); times > 0; --times) {
        try {
            co_await sleep(some_time());
        } catch (const loop::task_cancelled&) {
            ++cancellations;
        }
    }
    expect(cancellations <= 1, "a task receives one cancellation twice");
}

loop::task<void> program::yield_often() {
    for (std::uint64_t times = 1 + chance_.below(200); times > 0; --times) {
        // The task might be cancelled before the function runs, so the task and the function share the flag.
        const auto has_run = std::make_shared<bool>(false);
        loop_->post([has_run] { *has_run = true; });
        co_await loop_->yield();
        expect(*has_run, "a function that was posted before a yield runs after it");
    }
}

loop::task<void> program::gather_tree(int levels) {
    if (levels == 0) co_return co_await pause();
    std::vector<task<void>> children;
    for (std::uint64_t count = chance_.below(4); count > 0; --count)
        children.push_back(gather_tree(levels - 1));
    co_await loop_->gather(std::span(children));
    expect(std::ranges::all_of(children, &task<void>::done), "a gather ends before its children");
}

loop::task<void> program::gather_often() {
    for (std::uint64_t times = 1 + chance_.below(5); times > 0; --times)
        co_await gather_tree(1 + static_cast<int>(chance_.below(3)));
}

loop::task<void> program::sleep_and_note(nanoseconds duration, std::size_t number,
                                         std::vector<std::size_t>& order) {
    co_await sleep(duration);
    order.push_back(number);
}

loop::task<void> program::race_once() {
    std::vector<std::size_t> order;
    std::vector<task<void>> children;
    for (std::size_t number = 0, count = 1 + chance_.below(5); number < count; ++number)
        children.push_back(sleep_and_note(some_time(), number, order));
    const std::size_t first = co_await loop_->race(std::span(children));
    expect(std::ranges::all_of(children, &task<void>::done), "a race ends before its children");
    expect(!order.empty() && order.front() == first, "the first child to end does not win the race");
}

loop::task<void> program::set_limits() {
    for (std::uint64_t times = 1 + chance_.below(10); times > 0; --times) {
        const loop::time_point deadline = after(some_time());
        const auto ended = co_await loop::with_deadline(*loop_, pause(), deadline);
        expect(ended || after(0ns) >= deadline, "a time limit ends a task before its deadline");
    }
}

loop::task<void> program::wait_for(loop::future<int> value, std::size_t number,
                                   std::vector<std::size_t>& order) {
    expect(co_await value == 42, "a future has a wrong value");
    order.push_back(number);
}

loop::task<void> program::settle(loop::promise<int> value, nanoseconds later) {
    co_await sleep(later);
    value.set_value(42);
}

loop::task<void> program::share_future() {
    std::vector<std::size_t> order;
    std::vector<task<void>> children;
    loop::promise<int> value(*loop_);
    for (std::size_t number = 0, count = chance_.below(5); number < count; ++number)
        children.push_back(wait_for(value.get_future(), number, order));
    children.push_back(settle(std::move(value), some_time()));
    co_await loop_->gather(std::span(children), loop::join_mode::cancel_on_exception);
    expect(order.size() + 1 == children.size() && std::ranges::is_sorted(order),
           "the tasks that wait for a future do not continue in the order in which they began to wait");
}

/// The states of one task's scheduled calls. The called functions share this object, because they might run
/// after the end of the task.
struct program::made_calls {
    explicit made_calls(std::size_t count) : states(count, state::made) {}
    enum class state : std::uint8_t { made, cancelled, run };
    std::vector<state> states;
};

loop::task<void> program::call_later() {
    using state = made_calls::state;
    const std::size_t count = 1 + chance_.below(8);
    const auto calls = std::make_shared<made_calls>(count);
    std::vector<loop::call_handle> handles;
    nanoseconds longest{0};
    for (std::size_t number = 0; number < count; ++number) {
        const nanoseconds delay = chance_.one_in(4) ? 0ns : some_time();
        const loop::time_point due = after(delay);
        longest = std::max(longest, delay);
        auto function = [this, calls, number, due] {
            expect(calls->states[number] == state::made, "a call runs twice, or after its cancellation");
            expect(after(0ns) >= due, "a call runs before its deadline");
            calls->states[number] = state::run;
        };
        handles.push_back(delay == 0ns ? loop_->call_soon(std::move(function))
                                       : loop_->call_at(due, std::move(function)));
    }
    co_await sleep(nanoseconds(
        static_cast<std::int64_t>(chance_.below(static_cast<std::uint64_t>(longest.count()) + 1))));
    for (std::size_t number = 0; number < count; ++number) {
        if (calls->states[number] != state::made || chance_.one_in(2)) continue;
        handles[number].cancel();
        calls->states[number] = state::cancelled;
    }
    co_await sleep(longest);
    // A call with the same deadline as the sleep can run up to two turns after the sleep ends. It can run one
    // turn later because the loop queues the call after the sleep, and one more turn later because in some
    // loops, sleeps check the clock themselves, so that the call becomes due a turn after the sleep.
    for (int turns = 0; turns < 2; ++turns) co_await loop_->yield();
    const bool is_left =
        std::ranges::any_of(calls->states, [](made_calls::state each) { return each == state::made; });
    expect(!is_left || promised_.starves, "a scheduled call has not run in time");
}

loop::task<void> program::serve(bool is_unix) {
    struct counted {
        explicit counted(std::size_t& of) noexcept : count(of) { ++count; }
        counted(const counted&) = delete;
        counted& operator=(const counted&) = delete;
        ~counted() { --count; }
        std::size_t& count;
    };
    const counted one(servers_);
    std::string path = fmt::format("/simulated/{}", ++paths_);
    auto listening = is_unix ? loop_->listen_unix(path) : loop_->listen();
    const std::string address = is_unix ? path : fmt::format("port {}", listening.port());
    addresses_.push_back(address);
    const auto mine = std::static_pointer_cast<socket_file>(kernel_.share(listening.native_handle()));
    for (std::uint64_t left = 1 + chance_.below(30); left > 0; --left) {
        const waiting noted(*this, "an accept",
                            [&mine] { return mine->has_backlog() && !mine->accept_was_refused; });
        stream accepted = co_await listening.accept();
        begin("a server's conversation", converse(std::move(accepted)));
    }
}

loop::task<void> program::be_client() {
    for (std::uint64_t times = 1 + chance_.below(3); times > 0; --times) {
        std::erase_if(addresses_,
                      [this](const std::string& each) { return !kernel_.listeners.contains(each); });
        if (addresses_.empty()) co_return co_await pause();
        const std::string address = addresses_[chance_.below(addresses_.size())];
        stream connected;
        try {
            const std::size_t space = address.find(' ');
            if (space == std::string::npos) {
                connected = co_await loop_->connect_unix(address);
            } else {
                const int port = std::stoi(address.substr(space + 1));
                connected = co_await loop_->connect(static_cast<std::uint16_t>(port));
            }
        } catch (const std::system_error& failure) {
            // The following errors are not failures of the loop: the server no longer listens, its backlog is
            // full, or the connection broke at once.
            const int error = failure.code().value();
            expect(error == ECONNREFUSED || error == ENOBUFS || error == ECONNRESET, failure.what());
            continue;
        }
        co_await converse(std::move(connected));
    }
}

loop::task<void> program::converse(stream connected) {
    ++done.connections;
    const auto mine = std::static_pointer_cast<socket_file>(kernel_.share(connected.native_handle()));
    std::vector<task<void>> parts;
    parts.push_back(write_all(connected, mine));
    const bool calls_back = chance_.one_in(6);
    parts.push_back(calls_back ? call_when_readable(connected, mine) : read_all(connected, mine));
    if (chance_.one_in(2)) std::swap(parts[0], parts[1]);
    switch (chance_.below(6)) {
        case 0:
            co_await loop_->race(std::span(parts));
            break;
        case 1:
            if (!calls_back) parts.push_back(close_later(connected));
            [[fallthrough]];
        default:
            co_await loop_->gather(std::span(parts), loop::join_mode::cancel_on_exception);
    }
}

loop::task<void> program::close_later(stream& closed) {
    co_await sleep(some_time());
    closed.close();
}

loop::task<loop::io_result> program::write(stream& to, std::span<const std::byte> bytes, socket_file& mine) {
    const waiting noted(*this, "a write",
                        [&mine, before = mine.taken] { return mine.can_take() && mine.taken == before; });
    co_return co_await to.write_all(bytes);
}

loop::task<void> program::write_all(stream& to, const std::shared_ptr<socket_file>& mine) {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
    // With a window of one byte, one large transfer would take longer than all other transfers together.
    constexpr std::uint64_t parts_max = 2'000;
    const std::uint64_t total =
        std::min(chance_.any_magnitude(chance_.one_in(8) ? 17 : 12), parts_max * mine->window());
    while (offset < total) {
        if (chance_.one_in(20)) co_await pause();
        bytes.resize(std::min(1 + chance_.any_magnitude(16), total - offset));
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = content(mine->connection, mine->is_client, offset + i);
        std::optional<loop::io_result> written;
        if (chance_.one_in(8)) {
            written = co_await loop::with_deadline(*loop_, write(to, bytes, *mine), after(some_time()));
        } else {
            written = co_await write(to, bytes, *mine);
        }
        if (!written) continue;
        offset += written->bytes;
        if (mine->taken != offset)
            fail(fmt::format("the kernel has taken {} bytes, but reports {} to the writer", mine->taken,
                             offset));
        if (!to.is_open()) co_return;
        if (written->error == ECANCELED) continue;
        if (written->error != 0) {
            if (!mine->was_reset) fail(fmt::format("a write fails with {}", written->error));
            co_return;
        }
        expect(written->bytes == bytes.size(), "a write ends before the kernel has taken its bytes");
    }
    if (to.is_open()) to.shutdown_write();
}

loop::task<loop::io_result> program::read(stream& from, std::span<std::byte> buffer, socket_file& mine,
                                          std::uint64_t had) {
    const waiting noted(*this, "a read", [&mine, had] { return mine.arrived > had || mine.has_ended; });
    co_return co_await from.read_some(buffer);
}

loop::task<void> program::read_all(stream& from, const std::shared_ptr<socket_file>& mine) {
    std::uint64_t offset = 0;
    std::vector<std::byte> buffer;
    const std::uint64_t pause_one_in = 1 + chance_.any_magnitude(6);
    for (;;) {
        if (chance_.one_in(pause_one_in * 4)) co_await pause();
        buffer.resize(1 + chance_.any_magnitude(chance_.one_in(10) ? 17 : 13));
        std::optional<loop::io_result> received;
        if (chance_.one_in(8)) {
            received =
                co_await loop::with_deadline(*loop_, read(from, buffer, *mine, offset), after(some_time()));
        } else {
            received = co_await read(from, buffer, *mine, offset);
        }
        if (!received) continue;
        if (received->error != 0 && !from.is_open()) co_return;
        if (received->error != 0) {
            if (!mine->was_reset) fail(fmt::format("a read fails with {}", received->error));
            co_return;
        }
        if (!take(*mine, std::span(buffer).first(received->bytes), offset)) co_return;
    }
}

// Checks the bytes of a read and adds their number to `offset`. Returns false at the end of the stream.
bool program::take(const socket_file& mine, std::span<const std::byte> bytes, std::uint64_t& offset) {
    if (bytes.empty()) {
        const bool is_whole =
            mine.has_ended && offset == mine.arrived && (!mine.peer || mine.peer->taken == offset);
        if (!mine.was_reset && !is_whole)
            fail(fmt::format("a stream ends after {} bytes, of which {} have arrived", offset, mine.arrived));
        return false;
    }
    for (const std::byte each : bytes) {
        if (each != content(mine.connection, !mine.is_client, offset))
            fail(fmt::format("byte {} of connection {} is wrong", offset, mine.connection));
        ++offset;
    }
    done.bytes += bytes.size();
    expect(offset <= mine.arrived, "more bytes are read than have arrived");
    return true;
}

loop::task<void> program::call_when_readable(stream& from, const std::shared_ptr<socket_file>& mine) {
    const int fd = from.native_handle();
    std::uint64_t offset = 0;
    loop::event has_ended(*loop_, /*ends_a_task=*/true);
    // The callback is stuck if it could read, but has read nothing since the last check.
    const waiting noted(*this, "a callback", [&, seen = offset]() mutable {
        return std::exchange(seen, offset) == offset && (mine->arrived > offset || mine->has_ended);
    });
    struct added_reader {
        loop::event_loop& loop;
        int fd;
        ~added_reader() { loop.remove_reader(fd); }
    };
    const added_reader added{*loop_, fd};
    loop_->add_reader(fd, [&] {
        std::array<std::byte, 4096> buffer;
        const auto bytes = ::recv(fd, buffer.data(), 1 + chance_.below(buffer.size()), 0);
        if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (bytes < 0) expect(mine->was_reset, "a read fails although data is ready");
        const auto count = static_cast<std::size_t>(std::max<ssize_t>(bytes, 0));
        if (bytes > 0 && take(*mine, std::span(buffer).first(count), offset)) return;
        if (bytes == 0) take(*mine, {}, offset);
        loop_->remove_reader(fd);
        has_ended.set();
    });
    co_await has_ended.wait();
}

}  // namespace loopbench::simulation
