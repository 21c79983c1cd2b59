#include "bench/harness/machine/kernel_files.hpp"

#include <linux/capability.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace loopbench::bench {

namespace fs = std::filesystem;

namespace {

template <class value>
std::optional<value> first_word_of(const fs::path& path) {
    value found{};
    if (std::ifstream{path} >> found) return found;
    return std::nullopt;
}

std::vector<int> cpus_in_file(const fs::path& path) {
    constexpr int most = 1 << 16;
    std::vector<int> cpus;
    std::ifstream list{path};
    for (int first = 0; list >> first && first < most;) {
        int last = first;
        if (list.peek() == '-') {
            list.get();
            list >> last;
        }
        for (int cpu = first; cpu <= std::min(last, most); ++cpu) cpus.push_back(cpu);
        if (list.peek() != ',') break;
        list.get();
    }
    return cpus;
}

std::vector<int> sharing_a_cache(const fs::path& caches) {
    std::vector<int> cpus;
    int highest = 0;
    std::error_code none;
    for (const auto& cache : fs::directory_iterator{caches, none})
        if (const auto level = first_word_of<int>(cache.path() / "level"); level && *level > highest) {
            highest = *level;
            cpus = cpus_in_file(cache.path() / "shared_cpu_list");
        }
    return cpus;
}

/// Returns a number of /proc/PID/stat, or 0 if the file lacks it. `number` is the field's number in proc(5),
/// which counts from 1. Field 2 is the program's name, which can contain spaces and parentheses. Therefore
/// the function counts fields after the last parenthesis.
std::uint64_t field_of(const fs::path& stat, int number) {
    constexpr int first_after_name = 3;
    std::ifstream file{stat};
    using bytes = std::istreambuf_iterator<char>;
    const std::string text{bytes{file}, bytes{}};
    std::istringstream rest{text.substr(std::min(text.rfind(')') + 1, text.size()))};
    std::string word;
    for (int i = first_after_name; i < number; ++i) rest >> word;
    std::uint64_t value = 0;
    return rest >> value ? value : 0;
}

std::uint64_t start_in(const fs::path& stat) {
    constexpr int starttime = 22;
    return field_of(stat, starttime);
}

struct group_mount {
    bool is_v2 = false;
    fs::path top, place;
};

bool is_in_list(std::string_view word, const std::string& list) {
    return ("," + list + ",").find("," + std::string{word} + ",") != std::string::npos;
}

/// Returns the control groups (v1 or v2) that can limit CPU time. Each line of /proc/self/mountinfo (proc(5))
/// contains a variable number of fields, then "-", the type, the source and the options of the file system.
std::vector<group_mount> group_mounts(const fs::path& root) {
    std::vector<group_mount> all;
    std::ifstream mounts{root / "proc/self/mountinfo"};
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream words{line};
        std::string ignored, top, place, type, source, options;
        words >> ignored >> ignored >> ignored >> top >> place;
        while (words >> ignored && ignored != "-") continue;
        if (words >> type >> source >> options && (type == "cgroup2" || type == "cgroup") &&
            (type == "cgroup2" || is_in_list("cpu", options)))
            all.push_back({type == "cgroup2", top, root / fs::path{place}.relative_path()});
    }
    return all;
}

fs::path own_group(bool is_v2, const fs::path& root) {
    std::ifstream groups{root / "proc/self/cgroup"};
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const auto controllers = line.substr(first + 1, second - first - 1);
        if (is_v2 ? controllers.empty() : is_in_list("cpu", controllers)) return line.substr(second + 1);
    }
    return {};
}

std::optional<cpu_quota> quota_in(const fs::path& folder, bool is_v2) {
    const auto file = folder / (is_v2 ? "cpu.max" : "cpu.cfs_quota_us");
    double quota_us = 0, period_us = 0;
    std::ifstream limits{file};
    if (!(limits >> quota_us) || quota_us <= 0) return std::nullopt;  // "max" and -1 mean no limit
    if (is_v2)
        limits >> period_us;
    else
        period_us = first_word_of<double>(folder / "cpu.cfs_period_us").value_or(0);
    if (period_us <= 0) return std::nullopt;
    return cpu_quota{quota_us / period_us, file};
}

}  // namespace

std::optional<cpu_quota> read_cpu_quota(const fs::path& root) {
    std::optional<cpu_quota> least;
    for (const auto& [is_v2, top, place] : group_mounts(root)) {
        const auto group = own_group(is_v2, root);
        if (group.empty()) continue;
        // If the process's group is outside the mounted group, the relative path contains "..", and the
        // folder of the process's group is not visible. Then only the mounted group is examined.
        const auto below = group.lexically_relative(top);
        const bool is_visible = !below.empty() && *below.begin() != "..";
        for (auto folder = is_visible ? (place / below).lexically_normal() : place;;
             folder = folder.parent_path()) {
            if (const auto found = quota_in(folder, is_v2); found && (!least || found->cores < least->cores))
                least = found;
            if (folder.native().size() <= place.native().size()) break;
        }
    }
    return least;
}

core_facts read_core(int cpu, const fs::path& devices) {
    const auto folder = devices / "system/cpu" / ("cpu" + std::to_string(cpu));
    core_facts found;
    found.cpu = cpu;
    found.capacity = first_word_of<int>(folder / "cpu_capacity");
    found.max_khz = first_word_of<int>(folder / "cpufreq/cpuinfo_max_freq");
    for (const char* kind : {"cpu_core", "cpu_atom"})
        if (const auto all = cpus_in_file(devices / kind / "cpus"); std::ranges::find(all, cpu) != all.end())
            found.kind = kind;
    found.threads = cpus_in_file(folder / "topology/thread_siblings_list");
    found.sharing_a_cache = sharing_a_cache(folder / "cache");
    return found;
}

std::optional<std::string> clock_source() {
    return first_word_of<std::string>("/sys/devices/system/clocksource/clocksource0/current_clocksource");
}

std::optional<std::string> cpu_governor() {
    return first_word_of<std::string>("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
}

std::optional<bool> cpu_turbo() {
    if (const auto off = first_word_of<int>("/sys/devices/system/cpu/intel_pstate/no_turbo"))
        return *off == 0;
    if (const auto on = first_word_of<int>("/sys/devices/system/cpu/cpufreq/boost")) return *on != 0;
    return std::nullopt;
}

std::optional<std::string> cpu_model() {
    std::ifstream file{"/proc/cpuinfo"};
    for (std::string line; std::getline(file, line);)
        if (const auto colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    return std::nullopt;
}

std::optional<int> perf_paranoid() {
    return first_word_of<int>("/proc/sys/kernel/perf_event_paranoid");
}

bool may_perf_anyway() {
    std::ifstream status{"/proc/self/status"};
    std::uint64_t capabilities = 0;
    for (std::string word; status >> word;)
        if (word == "CapEff:") {
            status >> std::hex >> capabilities;
            break;
        }
    return (capabilities >> CAP_PERFMON & 1U) != 0 || (capabilities >> CAP_SYS_ADMIN & 1U) != 0;
}

std::optional<int> address_randomisation() {
    return first_word_of<int>("/proc/sys/kernel/randomize_va_space");
}

bool tracefs_is_readable() {
    return ::access("/sys/kernel/tracing/events", R_OK | X_OK) == 0;
}

std::optional<std::string> boot_id() {
    return first_word_of<std::string>("/proc/sys/kernel/random/boot_id");
}

std::map<std::string, cpu_times> read_cpu_times() {
    enum { user, nice, system, idle, iowait, irq, softirq, steal, kinds };
    const auto ticks_per_second = ::sysconf(_SC_CLK_TCK);
    if (ticks_per_second <= 0) return {};
    const auto tick_ns = 1'000'000'000 / ticks_per_second;
    std::map<std::string, cpu_times> all;
    std::ifstream stat{"/proc/stat"};
    for (std::string line; std::getline(stat, line) && line.starts_with("cpu");) {
        std::istringstream words{line};
        std::string label;
        std::array<std::int64_t, kinds> ticks{};
        words >> label;
        for (auto& count : ticks) words >> count;
        if (words)
            all[label] = {(ticks[user] + ticks[nice] + ticks[system] + ticks[irq] + ticks[softirq]) * tick_ns,
                          (ticks[idle] + ticks[iowait]) * tick_ns, ticks[steal] * tick_ns};
    }
    return all;
}

main_thread_times main_thread_times_of(pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/schedstat"};
    main_thread_times found;
    std::int64_t running_ns = 0, waiting_ns = 0;
    if (file >> running_ns >> waiting_ns && running_ns > 0) found = {running_ns, waiting_ns};
    return found;
}

std::int64_t most_children_ns_of(pid_t pid) {
    constexpr int cminflt = 11, cutime = 16, cstime = 17;
    constexpr std::int64_t ns_per_second = 1'000'000'000;
    const fs::path stat{"/proc/" + std::to_string(pid) + "/stat"};
    if (field_of(stat, cminflt) == 0) return 0;  // every process has page faults
    const auto ticks = 2 + static_cast<std::int64_t>(field_of(stat, cutime) + field_of(stat, cstime));
    return ticks * (ns_per_second / std::max(::sysconf(_SC_CLK_TCK), 1L));
}

std::vector<child_facts> children_of_this_thread() {
    std::vector<child_facts> all;
    std::ifstream list{"/proc/thread-self/children"};
    for (pid_t pid = 0; list >> pid;) {
        const fs::path about{"/proc/" + std::to_string(pid)};
        auto& found = all.emplace_back();
        found.pid = pid;
        found.name = first_word_of<std::string>(about / "comm").value_or("");
        std::ifstream environment{about / "environ"};
        using bytes = std::istreambuf_iterator<char>;
        found.environment.assign(bytes{environment}, bytes{});
        found.started_ticks = start_in(about / "stat");
    }
    return all;
}

std::uint64_t ticks_since_boot() {
    constexpr std::int64_t ns_per_second = 1'000'000'000;
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    const auto ticks_per_second = std::max(::sysconf(_SC_CLK_TCK), 1L);
    return static_cast<std::uint64_t>(now.tv_sec * ticks_per_second +
                                      now.tv_nsec / (ns_per_second / ticks_per_second));
}

fs::path installed_file(std::string_view name) {
    std::error_code unreadable;
    const auto executable = fs::read_symlink("/proc/self/exe", unreadable);
    if (unreadable)
        throw std::runtime_error{"cannot find where this program is installed: /proc/self/exe: " +
                                 unreadable.message() + "; mount /proc (mount -t proc proc /proc)"};
    const auto beside = executable.parent_path();
    const auto installed = (beside / "../libexec/loopbench" / name).lexically_normal();
    return fs::exists(installed) ? installed : beside / name;
}

}  // namespace loopbench::bench
