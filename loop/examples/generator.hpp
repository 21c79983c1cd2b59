// The generator works as in Python. The tutorials build their loops on generators; the loops of this project
// do not use generators.
#pragma once

#include <concepts>
#include <coroutine>
#include <optional>
#include <utility>
#include <variant>

namespace loopbench::examples {

using none = std::monostate;

namespace detail {

template <class Returned>
struct generator_return {
    std::optional<Returned> returned;
    template <std::convertible_to<Returned> Value>
    void return_value(Value&& value) {
        returned.emplace(std::forward<Value>(value));
    }
};

template <>
struct generator_return<none> {
    void return_void() const noexcept {}
};

}  // namespace detail

/// A generator, which the first next() starts. `co_yield` passes a Yielded to the caller and pauses the
/// generator. The result of `co_yield` is the Sent value with which the caller resumes the generator.
template <class Yielded, class Sent = none, class Returned = none>
class generator {
public:
    struct promise_type;
    using handle_type = std::coroutine_handle<promise_type>;

    generator(generator&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    generator& operator=(generator other) noexcept {
        std::swap(frame_, other.frame_);
        return *this;
    }
    ~generator() {
        if (frame_) frame_.destroy();
    }

    /// Resumes the generator with `value`. Returns the next yielded value, or std::nullopt if the generator
    /// has returned (Python raises StopIteration). Throws the exceptions of the generator.
    std::optional<Yielded> send(Sent value) {
        if (frame_.done()) return {};
        promise_type& promise = frame_.promise();
        promise.sent = std::move(value);
        promise.yielded.reset();
        frame_.resume();
        return std::move(promise.yielded);
    }
    std::optional<Yielded> next() { return send(Sent{}); }

    const Returned& returned() const { return *frame_.promise().returned; }

private:
    explicit generator(handle_type frame) noexcept : frame_(frame) {}

    handle_type frame_;
};

template <class Yielded, class Sent, class Returned>
struct generator<Yielded, Sent, Returned>::promise_type : detail::generator_return<Returned> {
    struct awaiter {
        promise_type& promise;
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<>) const noexcept {}
        Sent await_resume() const { return std::move(promise.sent); }
    };

    generator get_return_object() noexcept { return generator(handle_type::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    void unhandled_exception() const { throw; }

    awaiter yield_value(Yielded value) {
        yielded.emplace(std::move(value));
        return {*this};
    }

    std::optional<Yielded> yielded;
    Sent sent{};
};

}  // namespace loopbench::examples
