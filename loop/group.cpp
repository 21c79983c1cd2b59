#include "loop/group.hpp"

#include <sched.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>

#include "loop/designs.hpp"

namespace loopbench::loop {

/// The copy of a serve function that belongs to one loop, with the loop's listener, if it has one.
struct loop_group::service {
    explicit service(const serve_function& copied) : serve(copied) {}

    serve_function serve;
    listener from;
};

/// A loop and its thread. Senders use `messages` and `stopping`; the other members are used only in the
/// loop's thread while it runs.
struct alignas(64) loop_group::member {
    struct stop_request : operation {
        explicit stop_request(member& to) noexcept : operation{nullptr, &run_or_discard}, stopped(to) {}
        static void run_or_discard(operation* op, completion how) {
            if (how == completion::run) static_cast<stop_request*>(op)->stopped.loop->stop();
        }
        member& stopped;
    };

    std::size_t index = 0;
    std::unique_ptr<event_loop> loop;
    std::optional<inbox> messages;
    std::vector<std::unique_ptr<service>> services;
    stop_request stopping{*this};
    std::atomic<bool> is_stopping{false};
    std::thread::id id;
    std::jthread thread;
};

namespace {

// Returns the number of CPUs that this thread may use. hardware_concurrency() also counts those that a mask
// excludes (taskset, the cpusets of containers): glibc 2.36 counts the CPUs that are online.
std::size_t usable_cpus() noexcept {
    cpu_set_t usable;
    if (::sched_getaffinity(0, sizeof usable, &usable) == 0)
        return static_cast<std::size_t>(CPU_COUNT(&usable));
    return std::max(std::thread::hardware_concurrency(), 1u);  // more CPUs than a cpu_set_t has room for
}

void pin_this_thread(std::size_t loop_index, int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(cpu), &set);
    if (::sched_setaffinity(0, sizeof set, &set) == 0) return;
    const int error = errno;
    const char* const remedy =
        error == EINVAL ? " (the CPU does not exist, or this process must not use it; `nproc --all` and "
                          "`taskset -p` show which CPUs it may use)"
                        : "";
    throw_errno("cannot pin loop " + std::to_string(loop_index) + " to CPU " + std::to_string(cpu) + remedy,
                error);
}

}  // namespace

loop_group::loop_group(no_loops) {}

// If the body throws, the destructor is called, because the other constructor has already returned.
loop_group::loop_group(const group_options& options) : loop_group(no_loops()) {
    try {
        start_all(options);
    } catch (...) {
        enter(phase::given_up);
        throw;
    }
    enter(phase::running);
}

loop_group::~loop_group() {
    stop();
    join_all();
}

// Returns or throws when each thread that was started can run its loop, or has ended.
void loop_group::start_all(const group_options& options) {
    const std::size_t loops = options.loops != 0 ? options.loops : usable_cpus();
    for (std::size_t i = 0; i < loops; ++i) {
        members_.push_back(std::make_unique<member>());
        members_.back()->index = i;
    }
    std::vector<std::future<void>> started;
    std::exception_ptr failure;
    const auto keep_failure_of = [&failure](auto&& step) {
        try {
            step();
        } catch (...) {
            if (!failure) failure = std::current_exception();
        }
    };
    keep_failure_of([&] {
        for (const auto& each : members_) {
            std::promise<void> promise;
            std::future<void> outcome = promise.get_future();
            each->thread =
                std::jthread([this, &self = *each, &options, promise = std::move(promise)]() mutable {
                    run_member(self, options, std::move(promise));
                });
            started.push_back(std::move(outcome));
        }
    });
    for (std::future<void>& each : started) keep_failure_of([&] { each.get(); });
    if (failure) std::rethrow_exception(failure);
}

void loop_group::run_member(member& self, const group_options& options, std::promise<void> started) {
    self.id = std::this_thread::get_id();
    try {
        if (!options.cpus.empty())
            pin_this_thread(self.index, options.cpus[self.index % options.cpus.size()]);
        self.loop = make_loop(options.design);
        self.messages.emplace(*self.loop);
    } catch (...) {
        self.loop.reset();
        started.set_exception(std::current_exception());
        return;
    }
    started.set_value();  // afterwards, `options` might no longer exist
    run_loop(self);
}

void loop_group::run_loop(member& self) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return phase_ != phase::starting; });
    const bool runs = phase_ == phase::running;
    lock.unlock();
    try {
        if (runs) self.loop->run_forever();
    } catch (...) {
        fail(std::current_exception());
    }
    self.messages->close();
    for (const auto& each : self.services) each->from.close();
    self.loop.reset();
    self.services.clear();
}

void loop_group::enter(phase next) {
    const std::lock_guard lock(mutex_);
    phase_ = next;
    changed_.notify_all();
}

void loop_group::fail(std::exception_ptr failure) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::move(failure);
        changed_.notify_all();
    }
    stop();
}

void loop_group::task_has_left(bool is_incomplete) noexcept {
    if (is_incomplete) task_was_destroyed_.store(true, std::memory_order_relaxed);
    if (tasks_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
}

loop_group::member& loop_group::member_at(std::size_t index) const {
    if (index < size()) return *members_[index];
    throw std::out_of_range("loop " + std::to_string(index) + " does not exist; the group has " +
                            std::to_string(size()) + " loops, from 0");
}

event_loop& loop_group::operator[](std::size_t index) {
    return *member_at(index).loop;
}

inbox& loop_group::inbox_of(std::size_t index) {
    return *member_at(index).messages;
}

std::size_t loop_group::batch::send() noexcept {
    std::size_t refused = 0;
    for (std::size_t i = 0; i < chains_.size(); ++i) {
        const chain sent = std::exchange(chains_[i], chain());
        if (sent.newest == nullptr || group_.members_[i]->messages->push(*sent.newest, *sent.oldest))
            continue;
        refused += sent.count;
        operation_queue dropped;
        push_oldest_first(sent.newest, dropped);
        dropped.discard_all();
    }
    return refused;
}

endpoint loop_group::listen(const endpoint& local, distribution how, const serve_function& serve) {
    std::vector<unique_fd> sockets;
    if (how == distribution::reuse_port) {
        if (local.family() != AF_INET && local.family() != AF_INET6) {
            throw std::invalid_argument("loops cannot share '" + local.to_string() +
                                        "', which is no TCP endpoint; use distribution::hand_over");
        }
        sockets = open_shared_listeners(local, size());
    } else {
        sockets.push_back(open_listener(local));
    }
    const endpoint bound = local_endpoint(sockets.front().get());
    // Each loop gets its service before it can get a connection of loop 0.
    std::vector<service*> servers;
    bool all_run = true;
    for (const auto& each : members_) {
        auto made = std::make_unique<service>(serve);
        servers.push_back(made.get());
        all_run &= each->messages->post([&self = *each, made = std::move(made)](event_loop&) mutable {
            self.services.push_back(std::move(made));
        });
    }
    for (std::size_t i = 0; i < sockets.size(); ++i) {
        std::vector<service*> served =
            how == distribution::hand_over ? servers : std::vector<service*>{servers[i]};
        all_run &= members_[i]->messages->post([this, &self = *members_[i], &own = *servers[i],
                                                served = std::move(served),
                                                socket = std::move(sockets[i])](event_loop& loop) mutable {
            own.from = listener(loop, std::move(socket));
            loop.spawn(accept_all(self, std::move(served)));
        });
    }
    if (!all_run) throw std::runtime_error("cannot listen on " + bound.to_string() + ": a loop has stopped");
    return bound;
}

// Accepts connections for `servers`: only for the loop's own service, or for the services of all loops in
// turn.
task<void> loop_group::accept_all(member& self, std::vector<service*> servers) {
    const bool hands_over = servers.size() > 1;
    service& own = *servers[hands_over ? self.index : 0];
    std::size_t next = 0;
    while (own.from.is_open()) {
        stream connection;
        try {
            connection = co_await own.from.accept();
        } catch (const std::system_error&) {
            if (own.from.is_open()) throw;
            co_return;
        }
        const std::size_t turn = next++ % servers.size();
        if (servers[turn] == &own) {
            start_serving(*self.loop, own, std::move(connection), task_count(*this).begin());
        } else {
            // A loop that has stopped has no service any more; its inbox destroys the message.
            members_[turn]->messages->post([by = servers[turn], socket = connection.release(),
                                            counted = task_count(*this).begin()](event_loop& loop) mutable {
                start_serving(loop, *by, stream(loop, std::move(socket)), std::move(counted));
            });
        }
    }
}

void loop_group::start_serving(event_loop& loop, service& by, stream connection, task_count counted) {
    loop.spawn(loop_group::counted(by.serve(std::move(connection)), std::move(counted)));
}

task<void> loop_group::counted(task<void> work, task_count count) {
    try {
        co_await std::move(work);
    } catch (...) {
        count.end();
        throw;
    }
    count.end();
}

void loop_group::stop_accepting() {
    for (const auto& each : members_) {
        each->messages->post([&self = *each, counted = task_count(*this)](event_loop&) {
            for (const auto& served : self.services) served->from.close();
        });
    }
}

void loop_group::stop() noexcept {
    for (const auto& each : members_) {
        if (each->messages && !each->is_stopping.exchange(true))
            each->messages->push(each->stopping, each->stopping);
    }
}

void loop_group::join_all() {
    for (const auto& each : members_) {
        if (each->thread.joinable()) each->thread.join();
    }
}

void loop_group::refuse_own_threads() const {
    for (const auto& each : members_) {
        if (each->id == std::this_thread::get_id())
            throw std::logic_error("a thread of the group cannot wait for the group; call stop() instead");
    }
}

void loop_group::wait() {
    refuse_own_threads();
    join_all();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

bool loop_group::finish(nanoseconds patience) {
    refuse_own_threads();
    stop_accepting();
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, deadline_after(std::chrono::steady_clock::now(), patience),
                        [this] { return tasks_.load(std::memory_order_acquire) == 0 || failure_; });
    lock.unlock();
    stop();
    wait();
    return !task_was_destroyed_.load(std::memory_order_relaxed);  // the threads that wrote it have ended
}

}  // namespace loopbench::loop
