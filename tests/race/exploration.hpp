// The shared parts of the models in this folder: the atomics of relacy with the interface of std::atomic, the
// defects that the models plant, and the search.
#pragma once

#include <cstddef>
#include <iostream>
#include <limits>
#include <mutex>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include "loop/posting.hpp"

// relacy.hpp is included last, because it defines macros for new, delete, free and the names of memory
// orders.
#include <relacy/relacy.hpp>
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno

namespace loopbench::loop::test {

enum class defect {
    none,
    no_second_look,
    every_post_wakes,
    no_look_for_notice,
    taken_newest_first,
    weak_push,
    weak_second_look,
    weak_notice,
    weak_look_for_notice,
    relaxed_push,
    relaxed_take,
    torn_take,
    every_message_delivers,
    push_without_acquire,
    take_without_release,
    no_wait_for_senders,
    relaxed_store,
    torn_steal,
    sleep_without_look,
};

/// A planted defect, and the error that relacy must find.
struct finding {
    const char* name;
    defect planted;
    const char* found;
};

struct scenario {
    int posts_of_each = 1;
    bool in_one_chain = false;  // of inbox_model: each thread sends its messages together
    int stops_after = std::numeric_limits<int>::max();
    int early_returns = 0;
    defect planted = defect::none;
};
inline scenario explored;

inline rl::debug_info at(const std::source_location& where) {
    return {where.function_name(), where.file_name(), where.line()};
}

inline rl::memory_order as_relacy(std::memory_order order) {
    switch (order) {
        case std::memory_order::relaxed:
            return rl::mo_relaxed;
        case std::memory_order::consume:
            return rl::mo_consume;
        case std::memory_order::acquire:
            return rl::mo_acquire;
        case std::memory_order::release:
            return rl::mo_release;
        case std::memory_order::acq_rel:
            return rl::mo_acq_rel;
        case std::memory_order::seq_cst:
            break;
    }
    return rl::mo_seq_cst;
}

/// An atomic whose memory orders a planted defect can weaken. T and the called function identify the access
/// that becomes weaker.
template <class T>
class explored_atomic {
    using place = std::source_location;
    static constexpr bool is_stack = std::is_pointer_v<T>;

public:
    explicit explored_atomic(T initial) : value_(initial) {}

    T load(std::memory_order order, place where = place::current()) const {
        constexpr defect weak = is_stack ? defect::weak_second_look : defect::weak_look_for_notice;
        if (explored.planted == weak && order == std::memory_order::seq_cst)
            order = std::memory_order::acquire;
        return value_.load(as_relacy(order), at(where));
    }

    void store(T value, std::memory_order order, place where = place::current()) {
        if (explored.planted == defect::relaxed_store) order = std::memory_order::relaxed;
        if (explored.planted == defect::weak_notice && order == std::memory_order::seq_cst)
            order = std::memory_order::release;
        value_.store(value, as_relacy(order), at(where));
    }

    T fetch_add(T value, std::memory_order order, place where = place::current()) {
        return value_.fetch_add(value, as_relacy(order), at(where));
    }
    T fetch_sub(T value, std::memory_order order, place where = place::current()) {
        return value_.fetch_sub(value, as_relacy(order), at(where));
    }

    T exchange(T value, std::memory_order order, place where = place::current()) {
        if (explored.planted == defect::relaxed_take) order = std::memory_order::relaxed;
        if (explored.planted == defect::take_without_release && order == std::memory_order::acq_rel)
            order = std::memory_order::acquire;
        if (explored.planted == defect::torn_take) {
            const T before = value_.load(rl::mo_acquire, at(where));
            value_.store(value, rl::mo_seq_cst, at(where));
            return before;
        }
        return value_.exchange(value, as_relacy(order), at(where));
    }

    bool compare_exchange_weak(T& expected, T value, std::memory_order order, std::memory_order otherwise,
                               place where = place::current()) {
        if (explored.planted == defect::weak_push) order = std::memory_order::acq_rel;
        if (explored.planted == defect::relaxed_push) order = std::memory_order::relaxed;
        if (explored.planted == defect::push_without_acquire && order == std::memory_order::acq_rel)
            order = std::memory_order::release;
        return value_.compare_exchange_weak(expected, value, as_relacy(order), at(where),
                                            as_relacy(otherwise), at(where));
    }

    bool compare_exchange_strong(T& expected, T value, std::memory_order order,
                                 place where = place::current()) {
        if (explored.planted == defect::torn_steal) {
            if (value_.load(rl::mo_seq_cst, at(where)) != expected) return false;
            value_.store(value, rl::mo_seq_cst, at(where));
            return true;
        }
        return value_.compare_exchange_strong(expected, value, as_relacy(order), at(where));
    }

private:
    rl::atomic<T> value_;
};

/// A mutex and a condition variable of relacy, with the interfaces of those of the C++ library.
class explored_mutex {
    using place = std::source_location;

public:
    void lock(place where = place::current()) { inner.lock(at(where)); }
    void unlock(place where = place::current()) { inner.unlock(at(where)); }

    rl::mutex inner;
};
class explored_event {
    using place = std::source_location;

public:
    void wait(std::unique_lock<explored_mutex>& lock, place where = place::current()) {
        inner_.wait(lock.mutex()->inner, at(where));
    }
    void notify_one(place where = place::current()) { inner_.notify_one(at(where)); }
    void notify_all(place where = place::current()) { inner_.notify_all(at(where)); }

private:
    rl::condition_variable inner_;
};

enum class search : unsigned {
    all = rl::fair_full_search_scheduler_type,
    few_preemptions = rl::fair_context_bound_scheduler_type,
    random = rl::random_scheduler_type,
};

/// Explores the executions of a scenario. Returns relacy's name of the error, or "SUCCESS". `limit` is the
/// largest number of preemptions in one execution (search::few_preemptions) or the number of executions
/// (search::random).
template <class Model>
std::string explore(const scenario& what, search how, unsigned limit = 0) {
    explored = what;
    std::ostream nowhere(nullptr);
    rl::test_params params;
    params.search_type = static_cast<rl::scheduler_type_e>(how);
    params.context_bound = limit;
    params.iteration_count = limit;
    params.output_stream = what.planted == defect::none ? &std::cout : &nowhere;
    params.progress_stream = &nowhere;
    rl::simulate<Model>(params);
    return rl::test_result_str(params.test_result);
}

}  // namespace loopbench::loop::test
