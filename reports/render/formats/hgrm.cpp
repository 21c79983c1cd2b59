// Writes the same format and percentiles as hdr_percentiles_print() of HdrHistogram_c with five ticks per
// half distance: five rows each time that the distance to 100 % halves.
#include "reports/render/formats/hgrm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/render/columns.hpp"

namespace loopbench::reports {

namespace {

constexpr double ns_per_us = 1000;

double after(double percentile) {
    constexpr double ticks_per_half_distance = 5;
    const double half_distances = std::floor(std::log2(100 / (100 - percentile))) + 1;
    return percentile + 100 / (ticks_per_half_distance * std::exp2(half_distances));
}

double middle_ns(const bucket& of) {
    return (static_cast<double>(of.lowest_ns) + static_cast<double>(of.highest_ns)) / 2;
}

struct moments {
    std::uint64_t count = 0;
    double deviation_ns = 0;
};

moments moments_of(const histogram& from) {
    moments found;
    double squares = 0;
    for (const auto& each : from.values) {
        found.count += each.count;
        const double distance = middle_ns(each) - from.mean_ns;
        squares += distance * distance * static_cast<double>(each.count);
    }
    if (found.count > 0) found.deviation_ns = std::sqrt(squares / static_cast<double>(found.count));
    return found;
}

void add_row(std::string& out, double value_ns, double share, std::uint64_t seen) {
    const auto front = fmt::format("{:12.3f} {:12f} {:12d}", value_ns / ns_per_us, share, seen);
    out += share < 1 ? fmt::format("{} {:12.2f}\n", front, 1 / (1 - share))
                     : fmt::format("{} {:>12}\n", front, "inf");
}

void add_rows(std::string& out, const histogram& from, std::uint64_t count) {
    double wanted = 0;
    std::uint64_t seen = 0;
    for (const auto& each : from.values) {
        seen += each.count;
        // The rows end at this percentile. Without an end, the steps between rows would become smaller than
        // the rounding error of a double.
        constexpr double last_percentile = 100 - 1e-10;
        const double reached =
            std::min(100 * static_cast<double>(seen) / static_cast<double>(count), last_percentile);
        const auto highest_ns = static_cast<double>(std::min(each.highest_ns, from.max_ns));
        if (seen == count) {
            add_row(out, highest_ns, 1, seen);
            return;
        }
        for (; wanted <= reached; wanted = after(wanted)) add_row(out, highest_ns, wanted / 100, seen);
    }
}

}  // namespace

std::string write_hgrm(std::span<const histogram> all) {
    std::string out;
    for (const auto& each : all) {
        const auto found = moments_of(each);
        if (found.count == 0) continue;
        if (!out.empty()) out += "\n";
        out += fmt::format("#[Workload = {}, Contender = {}, Metric = {}, Unit = us, Trials = {}]\n",
                           printable(each.workload), printable(each.contender), printable(each.metric),
                           each.trials);
        out += fmt::format("{:>12} {:>12} {:>12} {:>12}\n\n", "Value", "Percentile", "TotalCount",
                           "1/(1-Percentile)");
        add_rows(out, each, found.count);
        out += fmt::format("#[Mean    = {:12.3f}, StdDeviation   = {:12.3f}]\n", each.mean_ns / ns_per_us,
                           found.deviation_ns / ns_per_us);
        out += fmt::format("#[Max     = {:12.3f}, Total count    = {:12d}]\n",
                           static_cast<double>(each.max_ns) / ns_per_us, found.count);
        out += fmt::format("#[Buckets = {:12d}, SubBuckets     = {:12d}]\n", each.values.size(), 1);
    }
    return out;
}

}  // namespace loopbench::reports
