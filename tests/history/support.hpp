#pragma once

#include <fmt/format.h>
#include <stdlib.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "bench/harness/trial/process/child_process.hpp"
#include "reports/model/results.hpp"
#include "tests/support/measured.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

/// Returns the URL of the PostgreSQL server, or "" for tests with SQLite.
inline std::string postgresql() {
    const char* url = ::getenv("LOOPBENCH_POSTGRESQL");
    return url != nullptr ? url : "";
}

inline bench::child_outcome psql(const std::string& url, const std::string& statement) {
    bench::child_request request;
    request.command = {"/usr/bin/env", "psql", "-qtAX", "-v", "ON_ERROR_STOP=1", "-c", statement, url};
    return bench::run_child(request);
}

class empty_history {
public:
    empty_history() {
        if (postgresql().empty()) return;
        static int databases = 0;
        const auto name = fmt::format("history_{}", ++databases);
        const auto made = psql(postgresql(), fmt::format("CREATE DATABASE {}", name));
        if (made.code != 0) throw std::runtime_error{made.error_tail};
        url_ = postgresql();
        url_.replace(url_.find("/postgres?") + 1, 8, name);
    }

    [[nodiscard]] std::string place() const {
        return url_.empty() ? (folder_ / "history.db").native() : url_;
    }
    [[nodiscard]] bool is_file() const { return url_.empty(); }
    [[nodiscard]] std::filesystem::path path(const char* name) const { return folder_ / name; }

private:
    temporary_folder folder_;
    std::string url_;
};

inline reports::report report_of_day(int day, double ratio = 1.5, double syscalls = 1) {
    reports::report all;
    all.seed = static_cast<std::uint64_t>(day);
    all.baseline = "asio-epoll";
    all.plan = reports::planned{"small", 0.01, 5, 10, {}};
    all.where.date = fmt::format("2026-{:02}-{:02}T03:04:05Z", 1 + day / 28, 1 + day % 28);
    all.where.loopbench_version = "0.1.0";
    all.where.kernel = "Linux 6.1 x86_64";
    all.where.cpu_model = "A processor";
    all.where.cores = 2;
    all.where.memory_bytes = std::int64_t{4} << 30;
    all.contenders = {reports::describe("asio-epoll", {{"library", "Boost.Asio"}, {"compiler", "GNU 12"}}),
                      reports::describe("loop-epoll", {{"library", "loop"}, {"compiler", "GNU 12"}})};
    all.workloads = {{"yield", {"time"}}};
    const auto add = [&](const char* contender, const char* metric, const char* unit, double value) -> auto& {
        auto item = measured_as("yield", contender, metric, value);
        item.unit = unit;
        item.samples = {value, value};
        item.low = item.high = value;
        return all.results.emplace_back(item);
    };
    add("asio-epoll", "time", "ns", 30);
    add("loop-epoll", "time", "ns", 30 / ratio).to_baseline =
        reports::ratio{"asio-epoll", ratio, ratio * 0.99, ratio * 1.01};
    for (const char* contender : {"asio-epoll", "loop-epoll"})
        add(contender, "syscalls", "per op", contender[0] == 'l' ? syscalls : 2).deterministic = true;
    return all;
}

inline reports::report large_report(int day) {
    auto report = report_of_day(day);
    const auto results = report.results;
    for (int i = 1; i < 200; ++i)
        for (auto item : results) {
            item.workload += fmt::format("/{}", i);
            report.results.push_back(std::move(item));
        }
    return report;
}

}  // namespace loopbench::tests
