#include "bench/harness/trial/histogram_files.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <array>

#include "reports/base/posix_io.hpp"
#include "reports/base/require_format.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;
using simdjson::dom::element;

template <class type>
type field(element from, std::string_view name) {
    type value{};
    if (const auto error = from[name].get(value))
        throw reports::format_error{"{}: {}", name, simdjson::error_message(error)};
    return value;
}

reports::bucket read_bucket(element from) {
    simdjson::dom::array three;
    std::array<std::int64_t, 3> numbers{};
    bool right = from.get(three) == simdjson::SUCCESS && three.size() == numbers.size();
    if (right)
        for (auto* number = numbers.data(); const auto each : three)
            right = each.get(*number++) == simdjson::SUCCESS && right;
    if (!right || numbers[0] > numbers[1] || numbers[2] < 1)
        throw reports::format_error{"buckets: expected [lowest, highest, count]"};
    return {numbers[0], numbers[1], static_cast<std::uint64_t>(numbers[2])};
}

}  // namespace

reports::histogram read_histogram(element from) {
    reports::histogram found;
    found.workload = field<std::string_view>(from, "workload");
    found.metric = field<std::string_view>(from, "metric");
    found.trials = 1;
    if (field<std::string_view>(from, "unit") != "ns") throw reports::format_error{"unit: expected ns"};
    found.mean_ns = field<double>(from, "mean");
    found.max_ns = field<std::int64_t>(from, "max");
    const auto buckets = field<simdjson::dom::array>(from, "buckets");
    found.values.reserve(buckets.size());
    for (const auto each : buckets) found.values.push_back(read_bucket(each));
    return found;
}

std::string read_histogram_file(const fs::path& path, std::string_view workload) {
    try {
        std::string ours;
        const auto text = reports::read_regular_file(path.native());
        if (!text) return ours;
        simdjson::dom::parser parser;
        const element whole = parser.parse(*text);
        std::string_view version;  // absent if the program was built without loopbench
        if (whole["version"].get(version) != simdjson::SUCCESS) version = {};
        reports::require_format(field<std::string_view>(whole, "schema"), reports::histogram_file_format,
                                "the contender's histogram file", version);
        for (const auto each : field<simdjson::dom::array>(whole, "histograms"))
            if (read_histogram(each).workload == workload)  // every histogram is parsed, to validate the file
                ours += (ours.empty() ? "" : ",") + simdjson::to_string(each);
        if (ours.size() > histograms_bytes_max)
            throw reports::format_error{
                "the histograms have {} bytes, and the limit is {}; use wider buckets", ours.size(),
                histograms_bytes_max};
        return ours;
    } catch (const reports::file_error& error) {
        throw reports::format_error{error.what()};
    } catch (const simdjson::simdjson_error& error) {
        throw reports::format_error{error.what()};
    }
}

}  // namespace loopbench::bench
