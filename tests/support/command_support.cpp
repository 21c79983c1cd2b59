#include "tests/support/command_support.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <cstdlib>

namespace loopbench::tests {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view contender_front = R"sh(
describe() { printf '{"context": {"library": "fake", "library_version": "1"%s}, "benchmarks": []}\n' "$1"; }
[ -z "$LOOPBENCH_DESCRIBE" ] || { describe "$sheet"; exit; }
case "$1" in
  --benchmark_list_tests=true) [ -n "$only" ] && echo "$only" || printf 'yield/real_time\necho/rtt/conns:1\n'; exit;;
  *echo*) workload=echo/rtt/conns:1;;
  *) workload=${only:-yield/real_time};;
esac
printf . >> "$0.trials"
row() {
  printf '{"context": {"library": "fake", "library_version": "1"}, "benchmarks": [{"run_name": "%s", %s}]}\n' \
    "$workload" "$1"
}
trials() {  # uses only shell builtins, because further processes in each trial would take too long
  read -r marks < "$0.trials"
  echo "${#marks}"
}
)sh";

}  // namespace

loopbench_command::loopbench_command() {
    // If the test is a background job of a script, it ignores SIGINT, and the command would inherit this.
    // Therefore the default action is restored.
    ::signal(SIGINT, SIG_DFL);
    // Leak checks are switched off, because they would make thousands of child processes three times as slow.
    ::setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
    fs::create_directories(folder_ / "bin/contenders");
    // The command is not a symbolic link, because it looks for its contenders next to the real file.
    std::error_code other_device;
    fs::create_hard_link(LOOPBENCH_COMMAND, folder_ / "bin/loopbench", other_device);
    if (other_device) fs::copy_file(LOOPBENCH_COMMAND, folder_ / "bin/loopbench");
}

void loopbench_command::add_contender(std::string_view name, std::string_view on_trial,
                                      std::string_view sheet) {
    write_script(folder_ / "bin/contenders" / name,
                 fmt::format("sheet='{}'\nonly=\n{}\n{}\n", sheet, contender_front, on_trial));
}

void loopbench_command::add_contender_of(std::string_view workload, std::string_view name,
                                         std::string_view on_trial, std::string_view sheet) {
    write_script(folder_ / "bin/contenders" / name,
                 fmt::format("sheet='{}'\nonly='{}'\n{}\n{}\n", sheet, workload, contender_front, on_trial));
}

std::string loopbench_command::add_program(std::string_view name, std::string_view script) {
    const auto file = folder_ / name;
    write_script(file, script);
    return file.native();
}

bench::child_outcome loopbench_command::operator()(const std::vector<std::string>& arguments,
                                                   std::chrono::nanoseconds killed_after) const {
    bench::child_request request;
    request.command = {(folder_ / "bin/loopbench").native()};
    request.command.insert(request.command.end(), arguments.begin(), arguments.end());
    request.error_tail_bytes = 65536;
    request.limit = killed_after;
    return bench::run_child(request);
}

bench::child_outcome loopbench_command::in_shell(const std::string& script) const {
    bench::child_request request;
    request.command = {"/bin/sh", "-c", script};
    request.environment = {{"loopbench", (folder_ / "bin/loopbench").native()},
                           {"out", out()},
                           {"folder", folder_.path().native()}};
    request.limit = patience;
    return bench::run_child(request);
}

bench::child_outcome loopbench_command::decided(const std::function<bench::child_outcome()>& compare) const {
    for (int left = 4;; --left) {
        auto ran = compare();
        const auto file = path("out/report.json");
        const auto written = fs::exists(file) ? content_of(file) : "";
        const bool is_decided = !ran.output.starts_with("UNDECIDED") &&
                                !ran.output.starts_with("UNRELIABLE") &&
                                written.find("run the comparison again") == std::string::npos;
        if (left == 0 || is_decided) return ran;
        fs::remove_all(out());
    }
}

nlohmann::json loopbench_command::report() const {
    return nlohmann::json::parse(content_of(folder_ / "out/report.json"));
}

bool is_installed(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

nlohmann::json time_of(const nlohmann::json& report, std::string_view contender, std::string_view workload) {
    for (const auto& item : report.at("results"))
        if (item.at("contender") == contender && item.at("metric") == "time" &&
            item.at("workload") == workload)
            return item;
    return nullptr;
}

}  // namespace loopbench::tests
