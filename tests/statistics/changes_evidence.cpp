// Measures how often the search for change points raises a false alarm, and how soon it finds planted
// changes. Prints the table in reports/evidence/changes.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
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

/// Returns noise in which each run keeps this part of the previous run's error.
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

constexpr double false_alarms_accepted = 0.01;
constexpr double known_exactly = std::numeric_limits<double>::infinity();  // the number of runs before

/// Returns by how many standard deviations the means of the runs before and after a step differ.
double distance(double step_pct, double spread, double before, double after) {
    return std::log1p(step_pct / 100) / spread / std::sqrt(1 / before + 1 / after);
}

/// Returns an upper limit for every method that looks this number of runs after the step: the share found by
/// a test that knows the moment, the direction and the noise, and accepts one false alarm in a hundred. It is
/// the most powerful test of these runs (Neyman and Pearson), and every decision based on these runs is such
/// a test.
double best_possible(double step_pct, double spread, double before, double after) {
    const boost::math::normal_distribution<double> normal;
    return cdf(normal,
               distance(step_pct, spread, before, after) - quantile(normal, 1 - false_alarms_accepted));
}

/// Measures the same: returns how often this test finds the step.
double best_seen(double step_pct, double spread, double before, double after, std::size_t tries) {
    const double threshold = quantile(boost::math::normal_distribution<double>{}, 1 - false_alarms_accepted);
    generator random{5};
    const auto mean_of = [&](double count) {
        if (count == known_exactly) return 0.0;
        double sum = 0;
        for (int i = 0; i < static_cast<int>(count); ++i)
            sum += std::normal_distribution<double>{0, spread}(random);
        return sum / count;
    };
    std::size_t found = 0;
    for (std::size_t i = 0; i < tries; ++i) {
        const double fell = mean_of(before) - (mean_of(after) - std::log1p(step_pct / 100));
        if (fell > threshold * spread * std::sqrt(1 / before + 1 / after)) ++found;
    }
    return static_cast<double>(found) / static_cast<double>(tries);
}

void bound(std::size_t tries) {
    constexpr double step_pct = 3, spread = 0.02, wanted = 0.95;
    fmt::print(
        "\nWhat nobody can exceed: a step of {:g} % at noise of {:g} % of a run, found by the best test of "
        "those "
        "that\nknow when it was, its direction and the noise, and raise one false alarm in a hundred\n\n",
        step_pct, 100 * spread);
    fmt::print("| runs before | runs after | by its formula | of {} simulations |\n|--:|--:|--:|--:|\n",
               tries);
    for (const double before : {15.0, 55.0, known_exactly})
        for (const double after : {5.0, 8.0, 10.0})
            fmt::print("| {} | {:g} | {:.1f} % | {:.1f} % |\n",
                       before == known_exactly ? "any number" : fmt::format("{:g}", before), after,
                       100 * best_possible(step_pct, spread, before, after),
                       100 * best_seen(step_pct, spread, before, after, tries));
    const boost::math::normal_distribution<double> normal;
    const double needed = quantile(normal, 1 - false_alarms_accepted) + quantile(normal, wanted);
    fmt::print(
        "\n{:g} % within 5 runs takes noise of {:.2f} % of a run at the most, or, at {:g} %, {:.0f} runs\n",
        100 * wanted, 100 * std::log1p(step_pct / 100) * std::sqrt(5) / needed, 100 * spread,
        std::ceil(std::pow(needed * spread / std::log1p(step_pct / 100), 2)));
}

/// Looks once, at the end, with the whole series on both sides of the step.
void located(std::size_t tries) {
    fmt::print(
        "\nA step of 3 % in a series of {} runs, anywhere with 15 runs before and 15 after it, {} of each, "
        "looked "
        "at\nonce, at the end\n\n",
        runs, tries);
    fmt::print(
        "| noise | a change is told | at most 5 runs from where it was | more than one "
        "|\n|---|--:|--:|--:|\n");
    const std::vector<place> noises{{"2 % of a block, 10 blocks", median_of_blocks(0.02, 10)},
                                    {"1 % of a run", normal_noise(0.01)},
                                    {"2 % of a run", normal_noise(0.02)}};
    for (const auto& [name, of] : noises) {
        generator random{6};
        std::size_t told = 0, near = 0, several = 0;
        for (std::size_t i = 0; i < tries; ++i) {
            const auto at = 15 + random() % (runs - 30);
            const auto found = changes_in(with_step(random, of, runs, at, 3), runs);
            const auto is_near = [&](const auto& each) { return each.at + 5 >= at && each.at <= at + 5; };
            if (!found.empty()) ++told;
            if (found.size() > 1) ++several;
            if (std::ranges::any_of(found, is_near)) ++near;
        }
        fmt::print("| {} | {} | {} | {} |\n", name, pct(told, tries), pct(near, tries), pct(several, tries));
    }
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
                if (spread > 0)
                    best += best_possible(step_pct, spread, static_cast<double>(at), 5) /
                            static_cast<double>(tries);
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
    bound(100 * tries);
    located(tries);
    others(tries);
    many(tries / 50 + 1);
}
