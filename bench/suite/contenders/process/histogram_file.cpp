#include "bench/suite/contenders/process/histogram_file.hpp"

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "reports/base/file_formats.hpp"

namespace loopbench::bench {

namespace {

using json = nlohmann::ordered_json;

template <class Histogram>
void append(json& all, const std::string& workload, const char* metric, const Histogram& values) {
    if (values.count() == 0) return;
    json buckets = json::array();
    values.for_each_bucket([&](std::int64_t lowest, std::int64_t highest, std::uint64_t count) {
        buckets.push_back({lowest, highest, count});
    });
    all.push_back({{"workload", workload},
                   {"metric", metric},
                   {"unit", "ns"},
                   {"count", values.count()},
                   {"min", values.min_ns()},
                   {"max", values.max_ns()},
                   {"mean", values.mean_ns()},
                   {"buckets", std::move(buckets)}});
}

}  // namespace

void histogram_file::keep(std::string_view workload, const histogram& latency,
                          const signed_histogram& lateness) {
    kept_.insert_or_assign(std::string(workload), histograms{latency, lateness});
}

std::string histogram_file::text() const {
    json all = json::array();
    for (const auto& [workload, values] : kept_) {
        append(all, workload, "latency", values.latency);
        append(all, workload, "late", values.lateness);
    }
    return json{{"schema", reports::histogram_file_format.schema},
                {"version", LOOPBENCH_VERSION},
                {"contender", contender_},
                {"histograms", std::move(all)}}
               .dump() +
           "\n";
}

void histogram_file::write(const std::string& path) const {
    const std::string whole = text();
    std::FILE* const file = std::fopen(path.c_str(), "we");
    const bool written = file != nullptr && std::fwrite(whole.data(), 1, whole.size(), file) == whole.size();
    const int error = errno;
    const bool closed = file != nullptr && std::fclose(file) == 0;
    if (!written || !closed)
        throw std::system_error(written ? errno : error, std::generic_category(),
                                "cannot write the histograms to " + path + " (LOOPBENCH_HISTOGRAM_FILE)");
}

}  // namespace loopbench::bench
