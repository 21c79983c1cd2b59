// Tests the store of a build without SOCI.
#include <gtest/gtest.h>

#include "bench/harness/history/store.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

TEST(store_left_out, a_history_without_soci_names_the_remedy_and_hides_the_password) {
    for (const auto how : {bench::opening::existing, bench::opening::created_if_missing}) {
        const auto text = complaint_of<bench::database_error>([&] {
            bench::store{"postgresql://me:secret@host/runs", how};
        });
        EXPECT_SAYS(text, "libsoci-dev");
        EXPECT_SAYS(text, "build loopbench again");
        EXPECT_FALSE(says(text, "secret")) << text;
    }
}

}  // namespace

}  // namespace loopbench::tests
