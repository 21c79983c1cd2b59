#include "bench/harness/statistics/hosts.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>

#include "bench/harness/statistics/layout.hpp"

namespace loopbench::bench {

namespace {

using by_host = std::map<std::size_t, std::vector<double>>;

by_host grouped(std::span<const host_value> values) {
    by_host all;
    for (const auto& each : values) all[each.host].push_back(each.value);
    return all;
}

double mean_of(std::span<const double> values) {
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    return mean;
}

double squares_around(std::span<const double> values, double mean) {
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return squares;
}

struct mean_and_error {
    double mean = 0, standard_error = 0;
    boost::math::students_t_distribution<double> t;

    explicit mean_and_error(std::span<const double> hosts)
        : mean{mean_of(hosts)}, t{static_cast<double>(hosts.size() - 1)} {
        const auto count = static_cast<double>(hosts.size());
        standard_error = std::sqrt(squares_around(hosts, mean) / (count - 1) / count);
    }
};

}  // namespace

std::vector<double> medians_of_hosts(std::span<const host_value> values) {
    std::vector<double> all;
    for (const auto& [host, of_it] : grouped(values)) all.push_back(median_of(of_it));
    return all;
}

estimate few_hosts_with_interval(std::span<const double> hosts, double level) {
    const mean_and_error found{hosts};
    const double reach = quantile(found.t, (1 + level) / 2) * found.standard_error;
    return {median_of(hosts), found.mean - reach, found.mean + reach};
}

double p_few_hosts_above(std::span<const double> hosts, double value) {
    const mean_and_error found{hosts};
    const double distance = found.mean - value;
    if (found.standard_error <= 0) return distance > 0 ? 0 : distance < 0 ? 1 : 0.5;
    return cdf(complement(found.t, distance / found.standard_error));
}

double reach_of_few_hosts(std::span<const double> hosts, double level) {
    constexpr double power = 0.8;
    const mean_and_error found{hosts};
    return found.standard_error * (quantile(found.t, 1 - level / 2) + quantile(found.t, power));
}

std::optional<double> host_deviation(std::span<const host_value> values) {
    const auto by_number = grouped(values);
    const std::vector<by_host::value_type> hosts(by_number.begin(), by_number.end());
    if (hosts.size() < 2) return std::nullopt;
    const auto blocks_of = [](const by_host::value_type& host) { return host.second.size(); };
    const auto most = blocks_of(*std::ranges::max_element(hosts, {}, blocks_of));
    const auto pairs = hosts.size() > 2 ? hosts.size() : std::size_t{1};
    std::vector<layout_contrast> contrasts;
    for (std::size_t i = 0; i < most; ++i)
        for (std::size_t k = 0; k < pairs; ++k) {
            const auto &one = hosts[k], &other = hosts[(k + 1) % hosts.size()];
            if (i < blocks_of(one) && i < blocks_of(other))
                contrasts.push_back({i, one.first, other.first, one.second[i] - other.second[i]});
        }
    return layout_deviation(contrasts);
}

std::optional<double> p_hosts_are_alike(std::span<const host_value> values) {
    const auto hosts = grouped(values);
    if (hosts.size() < 2 || values.size() <= hosts.size()) return std::nullopt;
    std::vector<double> all;
    for (const auto& each : values) all.push_back(each.value);
    const double mean = mean_of(all);
    double between = 0, within = 0;
    for (const auto& [host, of_it] : hosts) {
        const double own = mean_of(of_it);
        between += static_cast<double>(of_it.size()) * (own - mean) * (own - mean);
        within += squares_around(of_it, own);
    }
    const auto groups = static_cast<double>(hosts.size() - 1),
               rest = static_cast<double>(values.size() - hosts.size());
    if (within <= 0) return between > 0 ? 0 : 1;
    const double times = between / groups / (within / rest);
    const boost::math::fisher_f_distribution<double> f{groups, rest};
    return std::isfinite(times) ? cdf(complement(f, times)) : 0;
}

}  // namespace loopbench::bench
