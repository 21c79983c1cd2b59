#pragma once

#include <unistd.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "loop/examples/example.hpp"
#include "loop/io/fd.hpp"
#include "loop/net/pipe.hpp"

namespace loopbench::examples {

class keyboard {
public:
    /// Simulates Enter after `press_enter_after_seconds`. If this number is negative, Enter comes from
    /// standard input.
    keyboard(loop::event_loop& loop, double press_enter_after_seconds) {
        if (press_enter_after_seconds < 0) return;
        pipe_.emplace(loop.open_pipe());
        loop.call_later(scaled_seconds(press_enter_after_seconds), [this] {
            loop::checked(static_cast<int>(::write(pipe_->writer.native_handle(), "\n", 1)),
                          "cannot write to the pipe that replaces the keyboard");
        });
    }

    keyboard(const keyboard&) = delete;
    keyboard& operator=(const keyboard&) = delete;

    int fd() const noexcept { return pipe_ ? pipe_->reader.native_handle() : STDIN_FILENO; }

private:
    std::optional<loop::pipe_ends> pipe_;
};

inline int run_with_keyboard(int argc, char** argv, std::string about,
                             const std::function<void(loop::event_loop&, int)>& body) {
    double press_enter_after = -1;
    const program described{
        .about = std::move(about),
        .design = "loop-tick",
        .options = {{"--press-enter-after",
                     "Seconds after which the program simulates the Enter key; a negative number means never",
                     &press_enter_after}},
    };
    return run_example(argc, argv, described, [&](loop::event_loop& loop) {
        const keyboard keys(loop, press_enter_after);
        body(loop, keys.fd());
    });
}

}  // namespace loopbench::examples
