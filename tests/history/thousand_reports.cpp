// The program thousand_reports PLACE [REPORTS [NUMBER_OF_THE_FIRST]] adds reports of full runs to a history.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "bench/harness/history/store.hpp"

namespace {

using namespace loopbench;

constexpr int workloads = 57, contenders = 20, blocks = 2;
const std::vector<std::pair<const char*, bool>> metrics{
    {"time", false},    {"cpu", false},     {"latency_p50", false}, {"latency_p99", false},
    {"spin", false},    {"wakeups", false}, {"rss_peak", false},    {"cpu_user", false},
    {"syscalls", true}, {"waits", true},    {"allocations", true},  {"context_switches", true}};

reports::report full_run(int number, std::mt19937_64& random) {
    std::normal_distribution<double> noise{0, 0.01};
    reports::report all;
    all.seed = static_cast<std::uint64_t>(number);
    all.baseline = "contender-0";
    all.plan = reports::planned{"full", 0.5, 60, blocks, {}};
    all.where.date =
        fmt::format("2026-{:02}-{:02}T{:02}:00:00Z", 1 + number / 672, 1 + number / 24 % 28, number % 24);
    all.where.cpu_model = "A processor";
    for (int c = 0; c < contenders; ++c)
        all.contenders.push_back(reports::describe(fmt::format("contender-{}", c), {{"library", "none"}}));
    for (int w = 0; w < workloads; ++w) {
        const auto name = fmt::format("family/workload/number:{}", w);
        all.workloads.push_back({name, {"time", "latency_p99"}});
        for (int c = 0; c < contenders; ++c)
            for (const auto& [metric, is_count] : metrics) {
                auto& item = all.results.emplace_back();
                item.workload = name;
                item.contender = all.contenders[static_cast<std::size_t>(c)].name;
                item.metric = metric;
                item.unit = is_count ? "per op" : "ns";
                item.deterministic = is_count;
                for (int b = 0; b < (is_count ? 1 : blocks); ++b)
                    item.samples.emplace_back(is_count ? c : 1000 * std::exp(noise(random)));
                item.median = item.samples.front();
                item.low = item.high = item.median;
                if (c > 0 && !is_count) {
                    const double ratio = std::exp(noise(random));
                    item.to_baseline = reports::ratio{all.baseline, ratio, ratio * 0.98, ratio * 1.02};
                }
            }
    }
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print("usage: {} PLACE [REPORTS [NUMBER_OF_THE_FIRST]]\n", argv[0]);
        return 2;
    }
    const int count = argc > 2 ? std::atoi(argv[2]) : 1000, first = argc > 3 ? std::atoi(argv[3]) : 0;
    bench::store store{argv[1], bench::opening::created_if_missing};
    std::mt19937_64 random{1 + static_cast<std::uint64_t>(first)};
    for (int i = first; i < first + count; ++i)
        store.add(bench::entry_of(full_run(i, random), {fmt::format("commit {}", i), false, ""}));
}
