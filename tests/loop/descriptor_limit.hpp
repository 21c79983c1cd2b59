#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loop/io/fd.hpp"

namespace loopbench::loop::test {

class descriptor_limit {
public:
    descriptor_limit() { checked(::getrlimit(RLIMIT_NOFILE, &before_), "getrlimit"); }
    descriptor_limit(const descriptor_limit&) = delete;
    descriptor_limit& operator=(const descriptor_limit&) = delete;
    ~descriptor_limit() { restore(); }

    bool set(rlim_t count) const {
        const rlimit wanted{.rlim_cur = count, .rlim_max = before_.rlim_max};
        return ::setrlimit(RLIMIT_NOFILE, &wanted) == 0;
    }

    void use_up() const {
        const unique_fd lowest_free(checked(::dup(STDERR_FILENO), "dup"));
        ASSERT_TRUE(set(static_cast<rlim_t>(lowest_free.get())));
    }

    void restore() const { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

}  // namespace loopbench::loop::test
