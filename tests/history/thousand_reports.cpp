// How long it takes to keep a thousand reports of a full run, to look at all of them, and how large they
// become: thousand_reports PLACE [REPORTS [BLOCKS]], with a PLACE that is new.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
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

template <class function>
seconds time_of(function&& action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    return std::chrono::steady_clock::now() - begin;
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
    std::mt19937_64 random{1};
    bench::store store{place, bench::opening::created_if_missing};
    std::vector<double> reading, adding;
    std::size_t report_bytes = 0;
    for (int i = 0; i < count; ++i) {
        auto report = full_run(i, blocks, random);
        const bench::provenance from{fmt::format("commit {}", i), false, ""};
        bench::entry kept;
        if (i < read_from_text) {
            const auto text = reports::write_json(report);
            report_bytes = text.size();
            reading.push_back(time_of([&] { kept = bench::read_entry(text, "report", from); }).count());
        } else {
            kept = bench::entry_of(std::move(report), from);
        }
        adding.push_back(time_of([&] { store.add(kept); }).count());
    }
    std::ranges::sort(reading);
    std::ranges::sort(adding);
    const auto shown = [](const std::vector<double>& all) {
        return fmt::format("{:.1f} ms at the median, {:.1f} ms at most", 1000 * all[all.size() / 2],
                           1000 * all.back());
    };
    fmt::print("{} reports of {} bytes, {} blocks\n", count, report_bytes, blocks);
    fmt::print("to read one:       {}\nto add one:        {}\n", shown(reading), shown(adding));
    std::vector<bench::kept_run> runs;
    std::vector<bench::series> all;
    std::size_t points = 0;
    fmt::print("to read all series:  {:.2f} s\n", time_of([&] {
                                                      runs = store.runs();
                                                      all = bench::read_series(store, runs, {});
                                                  }).count());
    for (const auto& each : all) points += each.points.size();
    fmt::print("  {} series, {} points\n", all.size(), points);
    fmt::print("to show their trend: {:.2f} s\n", time_of([&] { bench::trend_text(all); }).count());
    std::size_t changes = 0;
    fmt::print("to find changes:     {:.2f} s\n",
               time_of([&] { changes = bench::changes_in(all).size(); }).count());
    fmt::print("  {} changes\n", changes);
    if (std::filesystem::exists(place))
        fmt::print("bytes of a report in the database: {}\n",
                   std::filesystem::file_size(place) / static_cast<std::size_t>(count));
}
