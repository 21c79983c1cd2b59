// The overview that ends a long table: one number for each cell, and a sign for those that are no difference.
#include "reports/overview.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace loopbench::tests {

namespace {

using reports::cell_status;
using reports::verdict;

reports::result time_of(const char* workload, const char* contender, double ns) {
    reports::result time;
    time.workload = workload;
    time.contender = contender;
    time.metric = "time";
    time.median = ns;
    return time;
}

reports::result judged(const char* workload, const char* contender, double ratio, verdict found) {
    auto time = time_of(workload, contender, 100 / ratio);
    time.to_baseline = reports::ratio{"asio-epoll", ratio, std::nullopt, std::nullopt};
    time.judged = found;
    return time;
}

reports::result without_numbers(const char* workload, const char* contender, cell_status status) {
    auto time = time_of(workload, contender, 0);
    time.median.reset();
    time.status = status;
    return time;
}

reports::report measured() {
    reports::report report;
    report.baseline = "asio-epoll";
    report.judged_by.threshold_pct = 1;
    report.results = {judged("yield", "loop-round-robin", 6.254, verdict::faster),
                      time_of("yield", "asio-epoll", 100),
                      without_numbers("yield", "floor-sleep", cell_status::unsupported),
                      judged("sleep", "loop-round-robin", 1.004, verdict::equivalent),
                      time_of("sleep", "asio-epoll", 12.1e6),
                      judged("sleep", "floor-sleep", 14.96, verdict::inconclusive),
                      without_numbers("echo", "loop-round-robin", cell_status::failed),
                      time_of("echo", "asio-epoll", 4300)};
    return report;
}

TEST(overview, has_a_row_for_each_workload_and_the_baseline_first) {
    EXPECT_EQ(reports::write_overview(measured()),
              "overview\n"
              "            asio    loop  floor\n"
              "           epoll   round  sleep\n"
              "                   robin\n"
              "  yield   100 ns   6.25       -\n"
              "  sleep  12.1 ms   1.00=  15.0?\n"
              "  echo   4.30 µs  failed      -\n"
              "\n"
              "asio-epoll: time per operation; the others: how many times as fast. = no difference of 1 % or "
              "more, ? not enough to tell, - not possible (the tables say why).\n");
}

TEST(overview, needs_something_to_compare) {
    auto report = measured();
    std::erase_if(report.results, [](const auto& time) { return time.contender != "asio-epoll"; });
    EXPECT_EQ(reports::write_overview(report), "");
    report = measured();
    std::erase_if(report.results, [](const auto& time) { return time.contender == "asio-epoll"; });
    EXPECT_EQ(reports::write_overview(report), "");
}

}  // namespace

}  // namespace loopbench::tests
