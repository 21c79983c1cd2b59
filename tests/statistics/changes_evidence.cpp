// How often the search for change points cries wolf, and how soon it finds what was planted. Prints the table
// in reports/evidence/changes.
#include <fmt/format.h>

#include <boost/math/distributions/normal.hpp>
#include <cstdint>
#include <cstdio>
#include <string>

#include "simulated_series.hpp"

namespace {

using namespace loopbench;
using namespace loopbench::tests;

constexpr std::size_t runs = 60;

struct place {
    std::string name;
    noise of;
};

std::string pct(std::size_t part, std::size_t of) {
    return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(of));
}

/// Each run remembers a part of what the one before was off by.
noise remembering(double spread, double part) {
    return [=, last = 0.0](generator& random) mutable {
        last = part * last + std::normal_distribution<double>{0, spread * std::sqrt(1 - part * part)}(random);
        return last;
    };
}

noise with_outliers(double spread, double share, double off) {
    return [=](generator& random) {
        const double value = std::normal_distribution<double>{0, spread}(random);
        return std::uniform_real_distribution<double>{}(random) < share ? value - off : value;
    };
}

void false_alarms(std::size_t tries) {
    std::vector<place> all;
    for (const auto& each : populations()) all.push_back({each.name, each.draw});
    all.push_back({"1 run in 20 slower by 10 %", with_outliers(0.01, 0.05, std::log(1.1))});
    all.push_back({"remembers 0.2 of the run before", remembering(0.01, 0.2)});
    all.push_back({"remembers 0.5 of the run before", remembering(0.01, 0.5)});
    fmt::print("Unchanged series of {} runs, {} of each: how many raise an alarm\n\n", runs, tries);
    fmt::print("| noise | looked at once, at the end | looked at after each run |\n|---|--:|--:|\n");
    for (const auto& [name, of] : all) {
        generator random{1};
        std::size_t once = 0, ever = 0;
        for (std::size_t i = 0; i < tries; ++i) {
            const auto series = unchanged(random, of, runs);
            if (!changes_in(series, runs).empty()) ++once;
            if (ever_alarms(series)) ++ever;
        }
        fmt::print("| {} | {} | {} |\n", name, pct(once, tries), pct(ever, tries));
    }
}

/// What nobody can exceed who looks five runs after: the share found by who knows when, in which direction
/// and by how much noise, and accepts one false alarm in a hundred.
double best_possible(double step_pct, double spread, std::size_t before) {
    const boost::math::normal_distribution<double> normal;
    constexpr double after = 5;
    const auto others = static_cast<double>(before);
    const double distance =
        std::log1p(step_pct / 100) / spread * std::sqrt(others * after / (others + after));
    return cdf(normal, distance - quantile(normal, 0.99));
}

void steps(std::size_t tries) {
    const std::vector<std::pair<place, double>> noises{
        {{"2 % of a block, 10 blocks", median_of_blocks(0.02, 10)}, 0},
        {{"0.5 % of a run", normal_noise(0.005)}, 0.005},
        {{"1 % of a run", normal_noise(0.01)}, 0.01},
        {{"2 % of a run", normal_noise(0.02)}, 0.02}};
    fmt::print("\nA step in a series of {} runs, anywhere with 15 runs before and 5 after it, {} of each\n\n",
               runs, tries);
    fmt::print(
        "| step | noise | found within 5 runs | within 10 | best possible within 5 |\n"
        "|--:|---|--:|--:|--:|\n");
    for (const double step_pct : {1.0, 3.0, 5.0, 10.0})
        for (const auto& [at_place, spread] : noises) {
            generator random{2};
            std::size_t within_5 = 0, within_10 = 0;
            double best = 0;
            for (std::size_t i = 0; i < tries; ++i) {
                const auto at = 15 + random() % (runs - 15 - 5);
                const auto series = with_step(random, at_place.of, runs + 5, at, step_pct);
                const auto delay = delay_of(series, at, 10);
                if (delay && *delay <= 5) ++within_5;
                if (delay) ++within_10;
                if (spread > 0) best += best_possible(step_pct, spread, at) / static_cast<double>(tries);
            }
            fmt::print("| {:g} % | {} | {} | {} | {} |\n", step_pct, at_place.name, pct(within_5, tries),
                       pct(within_10, tries), spread > 0 ? fmt::format("{:.0f} %", 100 * best) : "");
        }
}

void others(std::size_t tries) {
    fmt::print("\nWhat is no step, in series of {} runs with 1 % of noise, {} of each\n\n", runs, tries);
    fmt::print("| series | at least one change is told | changes told, on average |\n|---|--:|--:|\n");
    const auto row = [&](const std::string& name, const auto& make) {
        generator random{3};
        std::size_t any = 0, changes = 0;
        for (std::size_t i = 0; i < tries; ++i) {
            const auto found = changes_in(make(random), runs).size();
            any += found > 0 ? 1 : 0;
            changes += found;
        }
        fmt::print("| {} | {} | {:.2f} |\n", name, pct(any, tries),
                   static_cast<double>(changes) / static_cast<double>(tries));
    };
    const auto of = normal_noise(0.01);
    for (const double drift_pct : {1.0, 3.0, 10.0})
        row(fmt::format("drifts by {:g} % in all", drift_pct), [&](generator& random) {
            auto all = unchanged(random, of, runs);
            for (std::size_t i = 0; i < runs; ++i)
                all[i] -= std::log1p(drift_pct / 100) * static_cast<double>(i) / static_cast<double>(runs);
            return all;
        });
    for (const std::size_t off : {1UL, 2UL, 3UL, 4UL})
        row(fmt::format("the last {} run{} slower by 10 %", off, off == 1 ? " is" : "s are"),
            [&, off](generator& random) { return with_step(random, of, runs, runs - off, 10); });
    row("noise of 3 % from the middle on", [&](generator& random) {
        auto all = unchanged(random, of, runs);
        for (auto i = runs / 2; i < runs; ++i) all[i] *= 3;
        return all;
    });
}

void many(std::size_t tries) {
    constexpr std::size_t series = 1000;
    fmt::print(
        "\n{} series of {} runs with 1 % of noise, {} times; a step of 5 % eight runs before the end in "
        "some\n\n",
        series, runs, tries);
    fmt::print("| with a step | of them found | false ones per time |\n|--:|--:|--:|\n");
    for (const std::size_t changed : {0UL, 1UL, 10UL, 100UL}) {
        generator random{4};
        std::size_t found = 0, wrong = 0;
        for (std::size_t i = 0; i < tries; ++i) {
            std::vector<run_series> all;
            for (std::size_t s = 0; s < series; ++s)
                all.push_back(s < changed ? with_step(random, normal_noise(0.01), runs, runs - 8, 5)
                                          : unchanged(random, normal_noise(0.01), runs));
            const auto points = bench::change_points(all);
            for (std::size_t s = 0; s < series; ++s)
                if (!points[s].empty()) ++(s < changed ? found : wrong);
        }
        fmt::print("| {} | {} | {:.2f} |\n", changed, changed > 0 ? pct(found, changed * tries) : "",
                   static_cast<double>(wrong) / static_cast<double>(tries));
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t tries = argc > 1 ? std::stoul(argv[1]) : 1000;
    false_alarms(tries);
    steps(tries);
    others(tries);
    many(tries / 50 + 1);
}
