// The program implements async/await as in the last section of tutorial 000, "without any syntax sugar and
// helpers, using only raw primitives". There are no coroutines: each function that pauses is a class with a
// state, and send() resumes it.
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "loop/examples/example.hpp"
#include "loop/examples/keyboard.hpp"
#include "loop/io/fd.hpp"

namespace loopbench::examples {

namespace {

using namespace std::chrono_literals;
using loop::event_loop;
using callback = std::function<void()>;

using value = std::variant<std::monostate, std::string, std::chrono::milliseconds>;

class future {
public:
    void set_done_callback(std::function<void(value)> function) { callback_ = std::move(function); }
    void set_result(value result) const { callback_(std::move(result)); }

private:
    std::function<void(value)> callback_;
};

struct stop_iteration {
    value returned;
};
using step = std::variant<std::shared_ptr<future>, stop_iteration>;

class state_machine {
public:
    virtual ~state_machine() = default;
    virtual step send(value sent) = 0;
};

struct loop_calls {
    std::function<void(loop::nanoseconds, callback)> call_later;
    std::function<void(int, callback)> call_when_ready_for_reading;
};

class loop_read_from_file : public state_machine {
public:
    loop_read_from_file(const loop_calls& loop, int fd) : loop_(loop), fd_(fd) {}

    step send(value sent) override {
        if (std::exchange(started_, true)) return stop_iteration{std::move(sent)};
        auto awaited = std::make_shared<future>();
        loop_.call_when_ready_for_reading(fd_, [awaited, fd = fd_] {
            std::array<char, 4096> text;
            const auto count = loop::checked(static_cast<int>(::read(fd, text.data(), text.size())),
                                             "cannot read standard input; use a terminal or a pipe as input");
            awaited->set_result(std::string(text.data(), static_cast<std::size_t>(count)));
        });
        return awaited;
    }

private:
    const loop_calls& loop_;
    int fd_;
    bool started_ = false;
};

class loop_sleep : public state_machine {
public:
    loop_sleep(const loop_calls& loop, loop::nanoseconds delay) : loop_(loop), delay_(delay) {}

    step send(value sent) override {
        if (std::exchange(started_, true)) return stop_iteration{std::move(sent)};
        auto awaited = std::make_shared<future>();
        loop_.call_later(delay_, [awaited] { awaited->set_result({}); });
        return awaited;
    }

private:
    const loop_calls& loop_;
    loop::nanoseconds delay_;
    bool started_ = false;
};

class fetch_ms : public state_machine {
public:
    fetch_ms(const loop_calls& loop, int fd) : read_(loop, fd) {}

    step send(value sent) override {
        step inner = read_.send(std::move(sent));
        if (!std::holds_alternative<stop_iteration>(inner)) return inner;
        return stop_iteration{3000ms};
    }

private:
    loop_read_from_file read_;
};

class func : public state_machine {
public:
    func(const loop_calls& loop, int fd) : loop_(loop), fetch_(loop, fd) {}

    step send(value sent) override { return sleep_ ? sleeping(std::move(sent)) : fetching(std::move(sent)); }

private:
    step fetching(value sent) {
        step inner = fetch_.send(std::move(sent));
        const auto* end = std::get_if<stop_iteration>(&inner);
        if (end == nullptr) return inner;
        fmt::print("Will sleep now\n");
        sleep_.emplace(loop_, scaled(std::get<std::chrono::milliseconds>(end->returned)));
        return sleep_->send({});
    }

    step sleeping(value sent) {
        step inner = sleep_->send(std::move(sent));
        if (!std::holds_alternative<stop_iteration>(inner)) return inner;
        fmt::print("Good morning\n");
        return stop_iteration{"Return value"};
    }

    const loop_calls& loop_;
    fetch_ms fetch_;
    std::optional<loop_sleep> sleep_;
};

class task {
public:
    explicit task(std::unique_ptr<state_machine> machine) : machine_(std::move(machine)) {}

    void next_step(value sent) {
        const step reached = machine_->send(std::move(sent));
        if (const auto* awaited = std::get_if<std::shared_ptr<future>>(&reached))
            (*awaited)->set_done_callback([this](value result) { next_step(std::move(result)); });
    }

private:
    std::unique_ptr<state_machine> machine_;
};

loop_calls calls_of(event_loop& loop) {
    return {
        .call_later = [&loop](loop::nanoseconds delay, callback f) { loop.call_later(delay, std::move(f)); },
        .call_when_ready_for_reading =
            [&loop](int fd, callback f) {
                loop.add_reader(fd, [&loop, fd, f = std::move(f)] {
                    loop.remove_reader(fd);
                    f();
                });
            },
    };
}

void hello_and_enter(event_loop& loop, int fd) {
    const loop_calls calls = calls_of(loop);
    loop.call_later(scaled(5s), [] { fmt::print("hello\n"); });
    task waiting(std::make_unique<func>(calls, fd));
    loop.call_soon([&waiting] { waiting.next_step({}); });
    loop.run_until_idle();
}

}  // namespace

}  // namespace loopbench::examples

int main(int argc, char** argv) {
    using namespace loopbench::examples;
    return run_with_keyboard(
        argc, argv, "Prints hello after 5 s, and good morning 3 s after you press Enter; uses no coroutines.",
        hello_and_enter);
}
