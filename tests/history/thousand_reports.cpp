// How long it takes to keep a thousand reports of a full run, to look at all of them, and how large they
// become: thousand_reports PLACE [REPORTS [BLOCKS]]. To those that are in the PLACE it adds so many.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "bench/history/series.hpp"
#include "bench/history/store.hpp"
#include "bench/history/tables.hpp"
#include "reports/json/json.hpp"

namespace {

using namespace loopbench;
using seconds = std::chrono::duration<double>;

/// By the wall's clock, and of it what this process was on a core: without a server's work, and whatever else
/// the machine has to do.
struct taken {
    double wall_s = 0, cpu_s = 0;
};

template <class function>
taken time_of(function&& action) {
    const auto begin = std::chrono::steady_clock::now();
    const auto cpu_begin = std::clock();
    action();
    const seconds wall = std::chrono::steady_clock::now() - begin;
    return {wall.count(), static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC};
}

std::string shown(std::vector<taken> all) {
    std::ranges::sort(all, {}, &taken::wall_s);
    const auto middle = all[all.size() / 2];
    std::ranges::sort(all, {}, &taken::cpu_s);
    return fmt::format("{:.1f} ms at the median, {:.1f} ms of CPU", 1000 * middle.wall_s,
                       1000 * all[all.size() / 2].cpu_s);
}

std::string shown(const taken& one) {
    return fmt::format("{:.2f} s, {:.2f} s of CPU", one.wall_s, one.cpu_s);
}

constexpr int workloads = 57, contenders = 20;
constexpr int read_from_text = 20;  // all of them would take the most of its time, and say no more
const std::vector<std::pair<const char*, bool>> metrics{
    {"time", false},    {"cpu", false},     {"latency_p50", false}, {"latency_p99", false},
    {"spin", false},    {"wakeups", false}, {"rss_peak", false},    {"cpu_user", false},
    {"syscalls", true}, {"waits", true},    {"allocations", true},  {"context_switches", true}};

/// A full run: what it measures has noise of a percent, and counts are the same each time.
reports::report full_run(int number, int blocks, std::mt19937_64& random) {
    std::normal_distribution<double> noise{0, 0.01};
    reports::report all;
    all.seed = static_cast<std::uint64_t>(number);
    all.baseline = "contender-0";
    all.plan = reports::planned{"real", 0.5, 60, static_cast<std::uint64_t>(blocks), {}};
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
        fmt::print("usage: {} PLACE [REPORTS [BLOCKS]]\n", argv[0]);
        return 2;
    }
    const std::string place = argv[1];
    const int count = argc > 2 ? std::atoi(argv[2]) : 1000, blocks = argc > 3 ? std::atoi(argv[3]) : 2;
    bench::store store{place, bench::opening::created_if_missing};
    const auto there = static_cast<int>(store.runs().size());
    std::mt19937_64 random{1 + static_cast<std::uint64_t>(there)};
    std::vector<taken> reading, adding;
    std::size_t report_bytes = 0;
    for (int i = there; i < there + count; ++i) {
        auto report = full_run(i, blocks, random);
        const bench::provenance from{fmt::format("commit {}", i), false, ""};
        bench::entry kept;
        if (i < there + read_from_text) {
            const auto text = reports::write_json(report);
            report_bytes = text.size();
            reading.push_back(time_of([&] { kept = bench::read_entry(text, "report", from); }));
        } else {
            kept = bench::entry_of(std::move(report), from);
        }
        adding.push_back(time_of([&] { store.add(kept); }));
    }
    fmt::print("to {} reports {} more of {} bytes, {} blocks\n", there, count, report_bytes, blocks);
    fmt::print("to read one:       {}\nto add one:        {}\n", shown(reading), shown(adding));
    std::vector<bench::kept_run> runs;
    std::vector<bench::series> all;
    std::size_t points = 0;
    const auto to_read = time_of([&] {
        runs = store.runs();
        all = bench::read_series(store, runs, {});
    });
    fmt::print("to read all series:  {}\n", shown(to_read));
    for (const auto& each : all) points += each.points.size();
    fmt::print("  {} series, {} points\n", all.size(), points);
    fmt::print("to show their trend: {}\n", shown(time_of([&] { bench::trend_text(all); })));
    std::size_t changes = 0;
    fmt::print("to find changes:     {}\n", shown(time_of([&] { changes = bench::changes_in(all).size(); })));
    fmt::print("  {} changes\n", changes);
    if (std::filesystem::exists(place))
        fmt::print("bytes of a report in the database: {}\n",
                   std::filesystem::file_size(place) / runs.size());
}
