// Reference-counted state in recycled memory, for handles that may outlive the loop's interest in what they
// name.
#pragma once

#include <memory>
#include <new>
#include <utility>

#include "loop/frame_pool.hpp"

namespace loopbench::loop {

/// A pointer that shares a State, which has a member `unsigned references`. One thread only.
template <class State>
class shared_state {
public:
    shared_state() = default;
    shared_state(const shared_state& other) noexcept : state_(other.state_) {
        if (state_ != nullptr) ++state_->references;
    }
    shared_state(shared_state&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    shared_state& operator=(shared_state other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~shared_state() {
        if (state_ == nullptr || --state_->references != 0) return;
        std::destroy_at(state_);
        frame_pool::deallocate(state_, sizeof(State));
    }

    template <class... Arguments>
    static shared_state make(Arguments&&... arguments) {
        static_assert(alignof(State) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        void* const memory = frame_pool::allocate(sizeof(State));
        try {
            return shared_state(::new (memory) State(std::forward<Arguments>(arguments)...));
        } catch (...) {
            frame_pool::deallocate(memory, sizeof(State));
            throw;
        }
    }

    /// Shares a state that is reached by its address.
    static shared_state share(State& state) noexcept {
        ++state.references;
        return shared_state(&state);
    }

    State* operator->() const noexcept { return state_; }
    State& operator*() const noexcept { return *state_; }
    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    explicit shared_state(State* counted) noexcept : state_(counted) {}

    State* state_ = nullptr;
};

}  // namespace loopbench::loop
