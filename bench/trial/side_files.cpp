#include "bench/trial/side_files.hpp"

#include <system_error>

#include "reports/posix_io.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;
using reports::node;

reports::bucket read_bucket(const node& from) {
    const auto numbers = from.each([](const node& number) { return number.whole(); });
    if (numbers.size() != 3 || numbers[0] > numbers[1] || numbers[2] < 1)
        from.fail("expected [lowest, highest, count]");
    return {numbers[0], numbers[1], static_cast<std::uint64_t>(numbers[2])};
}

}  // namespace

reports::histogram read_histogram(const node& from) {
    reports::histogram found;
    found.workload = from.at("workload").text();
    found.metric = from.at("metric").text();
    found.trials = 1;
    if (from.at("unit").text() != "ns") from.at("unit").fail("expected ns");
    found.mean_ns = from.at("mean").number();
    found.max_ns = from.at("max").whole();
    found.values = from.at("buckets").each(read_bucket);
    return found;
}

json read_side_file(const fs::path& path, std::string_view workload) {
    auto ours = json::array();
    try {
        const auto text = reports::read_regular_file(path.native());
        if (!text) return ours;
        const auto document = reports::parse_strictly(*text);
        const node from{document, ""};
        from.require_schema("loopbench-side/1");
        static_cast<void>(from.at("histograms").each(read_histogram));  // or they could not be read later
        for (const auto& each : document.at("histograms"))
            if (each.at("workload") == workload) ours.push_back(each);
        return ours;
    } catch (const reports::file_error& error) {
        throw reports::format_error{error.what()};
    }
}

}  // namespace loopbench::bench
