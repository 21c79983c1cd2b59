// The door bell of the level-triggered pollers: an eventfd that is emptied when it has rung.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "loop/system_error.hpp"
#include "loop/unique_fd.hpp"

namespace loopbench::loop {

class wake_event {
public:
    int fd() const noexcept { return fd_.get(); }

    /// Any thread; also from a signal handler.
    void ring() noexcept {
        const std::uint64_t one = 1;
        static_cast<void>(::write(fd_.get(), &one, sizeof one));
    }

    void silence() noexcept {
        std::uint64_t count;
        static_cast<void>(::read(fd_.get(), &count, sizeof count));
    }

private:
    unique_fd fd_{checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")};
};

}  // namespace loopbench::loop
