// Where the programs of document 000 wait for Enter.
#pragma once

#include <unistd.h>

#include <optional>

#include "loop/examples/example.hpp"
#include "loop/net/pipe.hpp"
#include "loop/system_error.hpp"

namespace loopbench::examples {

/// Standard input; or, for a show without hands, a pipe on which the loop's clock presses Enter.
template <class Loop>
class keyboard {
public:
    /// Negative: somebody sits at the keyboard.
    keyboard(Loop& loop, double press_enter_after_seconds) {
        if (press_enter_after_seconds < 0) return;
        pipe_.emplace(loop::open_pipe(loop));
        loop.call_later(scaled_seconds(press_enter_after_seconds), [this] {
            loop::checked(static_cast<int>(::write(pipe_->writer.native_handle(), "\n", 1)), "write Enter");
        });
    }

    keyboard(const keyboard&) = delete;
    keyboard& operator=(const keyboard&) = delete;

    int fd() const noexcept { return pipe_ ? pipe_->reader.native_handle() : STDIN_FILENO; }

private:
    std::optional<loop::pipe_ends<Loop>> pipe_;
};

}  // namespace loopbench::examples
