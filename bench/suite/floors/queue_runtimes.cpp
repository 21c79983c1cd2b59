#include "bench/suite/floors/queue_runtimes.hpp"

namespace loopbench::bench::floors {

stealing_queue_runtime::stealing_queue_runtime(const thread_plan& plan)
    : queue_runtime(plan.threads),
      workers_(plan.threads),
      crew_(plan, {.work = [this](std::size_t index) { work(index); }, .end_work = [this] { finish(); }}) {}

stealing_queue_runtime::~stealing_queue_runtime() {
    for (worker& each : workers_)
        while (small_function* const left = each.queue.steal()) delete left;
    for (small_function* const left : from_outside_) delete left;
}

void stealing_queue_runtime::push(const small_function& function) {
    const std::size_t index = this_thread_index();
    if (index != no_thread) {
        worker& own = workers_[index];
        std::unique_ptr<small_function> made;
        if (own.free.empty()) {
            made = std::make_unique<small_function>(function);
        } else {
            made = std::move(own.free.back());
            own.free.pop_back();
            *made = function;
        }
        if (own.queue.push(made.get())) {
            made.release();
            return parked_.wake_one();
        }
    }
    {
        const std::lock_guard lock(mutex_);
        from_outside_.push_back(new small_function(function));
        outside_count_.fetch_add(1, std::memory_order_seq_cst);
    }
    parked_.wake_one();
}

void stealing_queue_runtime::finish() {
    is_finished_.store(true, std::memory_order_seq_cst);
    parked_.wake_all();
}

bool stealing_queue_runtime::has_work() const noexcept {
    if (outside_count_.load(std::memory_order_seq_cst) > 0) return true;
    for (const worker& each : workers_)
        if (!each.queue.empty()) return true;
    return false;
}

small_function* stealing_queue_runtime::find_work(std::size_t index) {
    if (small_function* const own = workers_[index].queue.steal()) return own;
    if (outside_count_.load(std::memory_order_relaxed) > 0) {
        const std::lock_guard lock(mutex_);
        if (!from_outside_.empty()) {
            small_function* const taken = from_outside_.front();
            from_outside_.pop_front();
            outside_count_.fetch_sub(1, std::memory_order_seq_cst);
            return taken;
        }
    }
    for (std::size_t i = 1; i < workers_.size(); ++i)
        if (small_function* const stolen = workers_[(index + i) % workers_.size()].queue.steal())
            return stolen;
    return nullptr;
}

void stealing_queue_runtime::work(std::size_t index) {
    constexpr std::size_t free_max = 1024;
    constexpr int looks = 50;  // before it sleeps
    worker& own = workers_[index];
    for (int look = 0; !is_finished_.load(std::memory_order_relaxed); ++look) {
        if (std::unique_ptr<small_function> next{find_work(index)}) {
            (*next)();
            if (own.free.size() < free_max) own.free.push_back(std::move(next));
            look = 0;
        } else if (look >= looks) {
            parked_.sleep_until([this] { return is_finished_.load() || has_work(); });
            look = 0;
        }
    }
}

}  // namespace loopbench::bench::floors
