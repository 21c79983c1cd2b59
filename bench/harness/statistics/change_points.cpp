// A test draws random orders of n values. For each order, it computes only the distances from each value to
// the values before it (n * n / 2 subtractions). The distances to all other values are the same in every
// order and are computed once.
#include "bench/harness/statistics/change_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "bench/harness/statistics/correction.hpp"
#include "bench/harness/statistics/random.hpp"

namespace loopbench::bench {

namespace {

/// Returns the sum of the distances from `value` to the other values. Computes four partial sums, because
/// with a single sum, each addition would have to wait for the previous one.
double distance_to_all(double value, std::span<const double> others) {
    constexpr std::size_t at_once = 4;
    std::array<double, at_once> sums{};
    std::size_t i = 0;
    for (; i + at_once <= others.size(); i += at_once)
        for (std::size_t k = 0; k < at_once; ++k) sums[k] += std::abs(value - others[i + k]);
    for (; i < others.size(); ++i) sums[0] += std::abs(value - others[i]);
    return sums[0] + sums[1] + sums[2] + sums[3];
}

struct split {
    std::size_t at = 0;
    double q = 0;
};

class window_test {
public:
    window_test(std::span<const double> values, std::size_t least)
        : values_(values.begin(), values.end()), least_{least}, random_{values.size()} {
        for (const double value : values_) to_all_.push_back(distance_to_all(value, values_));
        total_ = std::accumulate(to_all_.begin(), to_all_.end(), 0.0) / 2;
        found_ = best_split();
    }

    [[nodiscard]] bool has_split() const { return found_.q > 0; }
    [[nodiscard]] std::size_t at() const { return found_.at; }
    [[nodiscard]] bool is_decided() const { return met_one_as_large_; }
    [[nodiscard]] double p() const {
        return 1 / static_cast<double>(met_one_as_large_ ? drawn_ : drawn_ + 1);
    }

    /// Draws random orders until the test has drawn `orders` of them. Stops early if the largest Q of a
    /// random order is at least as large as that of the real order.
    void draw_up_to(std::uint64_t orders) {
        constexpr double rounding = 1e-9;
        for (; drawn_ < orders && !met_one_as_large_; ++drawn_) {
            shuffle();
            met_one_as_large_ = best_split().q >= found_.q * (1 - rounding);
        }
    }

private:
    void shuffle() {
        for (std::size_t i = values_.size(); i > 1; --i) {
            const auto other = static_cast<std::size_t>(below(random_, i));
            std::swap(values_[i - 1], values_[other]);
            std::swap(to_all_[i - 1], to_all_[other]);
        }
    }

    [[nodiscard]] split best_split() const {
        split best;
        double front = 0, back = total_;
        for (std::size_t i = 0; i + least_ < values_.size(); ++i) {
            const double to_front = distance_to_all(values_[i], std::span{values_}.first(i));
            front += to_front;
            back -= to_all_[i] - to_front;
            if (i + 1 < least_) continue;
            const auto a = static_cast<double>(i + 1), b = static_cast<double>(values_.size() - i - 1);
            const double between = total_ - front - back;
            const double q = 2 / (a + b) * (between - b / (a - 1) * front - a / (b - 1) * back);
            if (q > best.q) best = {i + 1, q};
        }
        return best;
    }

    std::vector<double> values_, to_all_;
    double total_ = 0;
    std::size_t least_;
    std::mt19937_64 random_;
    split found_;
    std::uint64_t drawn_ = 0;
    bool met_one_as_large_ = false;
};

struct window {
    std::size_t begin = 0, end = 0;
};

class search {
public:
    search(std::span<const double> series, const change_rule& rule) : series_{series}, rule_{rule} {
        look_from(0);
    }

    std::optional<window_test> next() {
        for (; !waiting_.empty(); advance(false)) {
            const auto [begin, end] = waiting_.back();
            const auto values = series_.subspan(begin, end - begin);
            const bool is_constant = std::ranges::adjacent_find(values, std::not_equal_to{}) == values.end();
            if (values.size() >= 2 * rule_.least && !is_constant) return window_test{values, rule_.least};
        }
        return std::nullopt;
    }

    void judged(const window_test& test, bool has_changed) {
        if (has_changed) found_.push_back({waiting_.back().begin + test.at(), test.p()});
        advance(has_changed);
    }

    [[nodiscard]] std::vector<change_point> found() && {
        std::ranges::sort(found_, {}, &change_point::at);
        return std::move(found_);
    }

private:
    void look_from(std::size_t begin) {
        waiting_.push_back({begin, std::min(begin + rule_.window, series_.size())});
    }

    /// Replaces the window that was just tested by the windows to test next. `has_changed` is true if the
    /// window has a change point and is split there. The first element of `waiting_` is the window that moves
    /// along the series. All other elements are parts of split windows.
    void advance(bool has_changed) {
        const auto [begin, end] = waiting_.back();
        const bool moves_on = waiting_.size() == 1;
        waiting_.pop_back();
        if (has_changed) {
            const auto at = found_.back().at;
            if (moves_on)
                look_from(at);
            else
                waiting_.push_back({at, end});
            waiting_.push_back({begin, at});
        } else if (moves_on && end < series_.size()) {
            look_from(std::min(begin + rule_.window / 2, series_.size() - rule_.window));
        }
    }

    std::span<const double> series_;
    const change_rule& rule_;
    std::vector<window> waiting_;
    std::vector<change_point> found_;
};

std::uint64_t orders_for(double level) {
    return static_cast<std::uint64_t>(std::ceil(1 / level));
}

std::vector<bool> judge(std::vector<window_test>& tests, const change_rule& rule) {
    auto left = std::ssize(tests);
    for (double needed = rule.level; left > 0;) {
        for (auto& test : tests) test.draw_up_to(orders_for(needed));
        const auto still = std::ranges::count_if(tests, [](const auto& test) { return !test.is_decided(); });
        if (still == left) break;
        left = still;
        // `left` is the number of tests whose p-value can still be small. If the p-values of all these tests
        // are at most `needed`, the correction accepts all these tests.
        needed = std::min(rule.level,
                          rule.family_level * static_cast<double>(left) / static_cast<double>(tests.size()));
    }
    std::vector<double> p_values;
    for (const auto& test : tests) p_values.push_back(test.p());
    const auto corrected = adjusted(p_values, correction::benjamini_hochberg);
    std::vector<bool> changed;
    for (std::size_t i = 0; i < tests.size(); ++i)
        changed.push_back(p_values[i] <= rule.level && corrected[i] <= rule.family_level);
    return changed;
}

}  // namespace

std::vector<std::vector<change_point>> change_points(std::span<const std::vector<double>> series,
                                                     const change_rule& rule) {
    std::vector<search> searches;
    searches.reserve(series.size());
    for (const auto& values : series) searches.emplace_back(values, rule);
    for (;;) {
        std::vector<window_test> tests;
        std::vector<search*> of;
        tests.reserve(searches.size());
        for (auto& each : searches)
            while (auto test = each.next()) {
                if (test->has_split()) {
                    tests.push_back(std::move(*test));
                    of.push_back(&each);
                    break;
                }
                each.judged(*test, false);
            }
        if (tests.empty()) break;
        const auto changed = judge(tests, rule);
        for (std::size_t i = 0; i < tests.size(); ++i) of[i]->judged(tests[i], changed[i]);
    }
    std::vector<std::vector<change_point>> found;
    for (auto& each : searches) found.push_back(std::move(each).found());
    return found;
}

}  // namespace loopbench::bench
