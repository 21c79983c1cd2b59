// Tests `loopbench doctor` on fake machines and on the real machine.
#include "bench/harness/machine/doctor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "bench/harness/machine/fastest_batch.hpp"
#include "bench/harness/machine/kernel_files.hpp"
#include "bench/harness/trial/build_comparison.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using bench::machine_facts;
using bench::severity;

constexpr std::uint64_t needed = 10'400;

machine_facts healthy() {
    machine_facts facts;
    facts.cores = 4;
    for (int cpu = 0; cpu < facts.cores; ++cpu)
        facts.each_core.push_back({cpu, 1024, 3'500'000, {}, {cpu}, {}});
    facts.governor = "performance";
    facts.turbo = false;
    facts.clocksource = "tsc";
    facts.clock_cost_ns = 25;
    facts.timer_slack_ns = 50'000;
    facts.open_files_max = 1 << 20;
    facts.tracefs_readable = true;
    facts.perf_paranoid = 1;
    facts.randomised_addresses = 2;
    return facts;
}

TEST(doctor, a_healthy_machine_has_no_findings) {
    for (const auto& found : bench::diagnose(healthy(), needed)) {
        EXPECT_EQ(found.how, severity::fine) << found.about;
        EXPECT_EQ(found.remedy, "") << found.about;
    }
}

TEST(doctor, the_doctor_names_each_problem_of_a_machine_and_its_remedy) {
    struct ill {
        std::string_view about;
        severity how;
        std::function<void(machine_facts&)> befall;
    };
    for (const auto& [about, how, befall] : {
             ill{"cores", severity::warning, [](auto& facts) { facts.cores = 1; }},
             ill{"core kinds", severity::warning, [](auto& facts) { facts.each_core[3].capacity = 446; }},
             ill{"core kinds", severity::warning,
                 [](auto& facts) { facts.each_core[0].max_khz = 2'000'000; }},
             ill{"core kinds", severity::warning, [](auto& facts) { facts.each_core[1].kind = "cpu_atom"; }},
             ill{"core kinds", severity::warning,
                 [](auto& facts) {
                     facts.each_core[2].threads = {2, 6};
                 }},
             ill{"load", severity::warning, [](auto& facts) { facts.busy_share = 0.2; }},
             ill{"load", severity::unreliable, [](auto& facts) { facts.busy_share = 0.5; }},
             ill{"CPU quota", severity::unreliable,
                 [](auto& facts) {
                     facts.quota = {1.5, "cpu.max"};
                 }},
             ill{"CPU quota", severity::warning,
                 [](auto& facts) {
                     facts.quota = {2, "cpu.max"};
                 }},
             ill{"steal", severity::warning, [](auto& facts) { facts.steal_share = 0.02; }},
             ill{"steal", severity::unreliable, [](auto& facts) { facts.steal_share = 0.06; }},
             ill{"governor", severity::warning, [](auto& facts) { facts.governor = "powersave"; }},
             ill{"turbo", severity::warning, [](auto& facts) { facts.turbo = true; }},
             ill{"clock", severity::unreliable, [](auto& facts) { facts.clocksource = "hpet"; }},
             ill{"clock", severity::unreliable, [](auto& facts) { facts.clock_cost_ns = 700; }},
             ill{"timer slack", severity::warning, [](auto& facts) { facts.timer_slack_ns = 1; }},
             ill{"open files", severity::warning, [](auto& facts) { facts.open_files_max = 1024; }},
             ill{"io_uring", severity::warning,
                 [](auto& facts) { facts.io_uring_refused = "Function not implemented"; }},
             ill{"tracefs", severity::warning, [](auto& facts) { facts.tracefs_readable = false; }},
             ill{"perf", severity::warning, [](auto& facts) { facts.perf_paranoid = 3; }},
             ill{"address randomisation", severity::warning,
                 [](auto& facts) { facts.randomised_addresses = 0; }},
         }) {
        auto facts = healthy();
        befall(facts);
        const auto all = bench::diagnose(facts, needed);
        EXPECT_EQ(std::ranges::count_if(all, [](const auto& one) { return one.how != severity::fine; }), 1)
            << about;
        const auto found = std::ranges::find(all, about, &bench::finding::about);
        ASSERT_NE(found, all.end());
        EXPECT_EQ(found->how, how) << about;
        EXPECT_NE(found->remedy, "") << about;
    }
}

bench::finding core_kinds_of(const machine_facts& facts) {
    const auto all = bench::diagnose(facts, needed);
    return *std::ranges::find(all, "core kinds", &bench::finding::about);
}

TEST(doctor, the_doctor_lists_equal_cores_together) {
    auto facts = healthy();
    EXPECT_EQ(core_kinds_of(facts).found, "0,1,2,3 (capacity 1024, 3500 MHz)");
    for (const int slow : {1, 3}) facts.each_core[static_cast<std::size_t>(slow)].capacity = 446;
    EXPECT_EQ(core_kinds_of(facts).found, "0,2 (capacity 1024, 3500 MHz); 1,3 (capacity 446, 3500 MHz)");
    EXPECT_SAYS(core_kinds_of(facts).remedy, "taskset -c 0,2 ");
    for (auto& core : facts.each_core) core.capacity = core.max_khz = {};
    EXPECT_TRUE(core_kinds_of(facts).found.starts_with("unknown")) << core_kinds_of(facts).found;
    EXPECT_EQ(core_kinds_of(facts).how, severity::fine);
}

TEST(kernel_files, the_properties_of_a_core_are_read_from_sysfs) {
    const temporary_folder devices;
    const auto write = [&](const std::string& path, const std::string& text) {
        std::filesystem::create_directories((devices / path).parent_path());
        std::ofstream{devices / path} << text << '\n';
    };
    const auto silent = bench::read_core(5, devices / "");
    EXPECT_FALSE(silent.is_known());
    EXPECT_TRUE(silent.threads.empty());
    write("system/cpu/cpu5/cpu_capacity", "446");
    write("system/cpu/cpu5/cpufreq/cpuinfo_max_freq", "2400000");
    write("system/cpu/cpu5/topology/thread_siblings_list", "5,13");
    write("system/cpu/cpu5/cache/index0/level", "1");
    write("system/cpu/cpu5/cache/index0/shared_cpu_list", "5,13");
    write("system/cpu/cpu5/cache/index3/level", "3");
    write("system/cpu/cpu5/cache/index3/shared_cpu_list", "4-6,12-14");
    write("cpu_core/cpus", "0-3,8-11");
    write("cpu_atom/cpus", "4-7,12-15");
    const auto core = bench::read_core(5, devices / "");
    EXPECT_EQ(core.cpu, 5);
    EXPECT_EQ(core.capacity, 446);
    EXPECT_EQ(core.max_khz, 2'400'000);
    EXPECT_EQ(core.kind, "cpu_atom");
    EXPECT_EQ(core.threads, (std::vector{5, 13}));
    EXPECT_EQ(core.sharing_a_cache, (std::vector{4, 5, 6, 12, 13, 14}));
    EXPECT_TRUE(core.is_known());
    write("cpu_atom/cpus", "nonsense-");
    EXPECT_EQ(bench::read_core(5, devices / "").kind, std::nullopt);
}

class planted_root {
public:
    void write(const std::string& path, const std::string& text) const {
        std::filesystem::create_directories((folder_ / path).parent_path());
        std::ofstream{folder_ / path} << text << '\n';
    }
    [[nodiscard]] std::optional<bench::cpu_quota> quota() const {
        return bench::read_cpu_quota(folder_ / "");
    }

private:
    temporary_folder folder_;
};

TEST(kernel_files, the_smallest_quota_of_a_v2_control_group_and_its_parents_is_found) {
    const planted_root root;
    EXPECT_FALSE(root.quota()) << "no control groups";
    root.write("proc/self/cgroup", "0::/a.slice/b.scope");
    root.write("proc/self/mountinfo",
               "22 1 0:21 / /proc rw,relatime shared:5 - proc proc rw\n"
               "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate");
    EXPECT_FALSE(root.quota()) << "the root group has no cpu.max";
    root.write("sys/fs/cgroup/a.slice/b.scope/cpu.max", "max 100000");
    EXPECT_FALSE(root.quota());
    root.write("sys/fs/cgroup/a.slice/cpu.max", "150000 100000");
    ASSERT_TRUE(root.quota());
    EXPECT_DOUBLE_EQ(root.quota()->cores, 1.5);
    EXPECT_TRUE(root.quota()->file.native().ends_with("a.slice/cpu.max"));
    root.write("sys/fs/cgroup/a.slice/b.scope/cpu.max", "5000 10000");
    EXPECT_DOUBLE_EQ(root.quota()->cores, 0.5);
    root.write("sys/fs/cgroup/a.slice/b.scope/cpu.max", "nonsense");
    EXPECT_DOUBLE_EQ(root.quota()->cores, 1.5);
}

TEST(kernel_files, the_quota_of_a_v1_control_group_is_found_in_the_hierarchy_of_the_cpu_controller) {
    const planted_root root;
    root.write("proc/self/cgroup", "4:memory:/docker/7\n3:cpu,cpuacct:/docker/7\n1:name=systemd:/x\n0::/");
    root.write("proc/self/mountinfo",
               "31 30 0:27 /docker/7 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
               "32 30 0:28 /docker/7 /sys/fs/cgroup/cpu,cpuacct ro master:9 - cgroup cgroup rw,cpu,cpuacct\n"
               "33 30 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
    root.write("sys/fs/cgroup/memory/cpu.cfs_quota_us", "1");
    root.write("sys/fs/cgroup/memory/cpu.cfs_period_us", "1");
    root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
    root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
    EXPECT_FALSE(root.quota()) << "-1 is no limit";
    root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000");
    ASSERT_TRUE(root.quota()) << "the container's group is mounted as the top of the hierarchy";
    EXPECT_DOUBLE_EQ(root.quota()->cores, 2.5);
}

TEST(kernel_files, a_process_outside_the_mounted_control_group_has_the_quota_of_the_mounted_group) {
    const planted_root root;
    root.write("proc/self/cgroup", "0::/../elsewhere");
    root.write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
    root.write("sys/fs/cgroup/cpu.max", "100000 100000");
    root.write("sys/fs/elsewhere/cpu.max", "1000 100000");
    ASSERT_TRUE(root.quota());
    EXPECT_DOUBLE_EQ(root.quota()->cores, 1);
}

TEST(doctor, the_doctor_states_the_cores_of_a_cpu_quota_and_warns_of_throttling) {
    auto facts = healthy();
    const auto found = [&] {
        const auto all = bench::diagnose(facts, needed);
        return *std::ranges::find(all, "CPU quota", &bench::finding::about);
    };
    facts.quota = {0.5, "/sys/fs/cgroup/cpu.max"};
    EXPECT_EQ(found().found, "0.5 of 4 cores");
    EXPECT_SAYS(found().remedy, "throttles");
    EXPECT_SAYS(found().remedy, "/sys/fs/cgroup/cpu.max");
    facts.quota = {4, "/sys/fs/cgroup/cpu.max"};
    EXPECT_EQ(found().how, severity::fine) << "the process cannot use more cores anyway";
}

/// A clock with a preemption. A call of now() seems to take 25 ns, and one of the first calls seems to take
/// 50 ms.
struct preempted_clock {
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<preempted_clock, duration>;
    static inline std::int64_t calls = 0;

    static time_point now() {
        ++calls;
        return time_point{duration{25 * calls + (calls > 40 ? 50'000'000 : 0)}};
    }
};

TEST(doctor, one_preemption_does_not_make_a_clock_count_as_slow) {
    EXPECT_NEAR(bench::cost_of_clock_ns<preempted_clock>(), 25, 0.5);
}

TEST(doctor, the_last_sentence_says_whether_the_machine_is_fit_for_measurements_and_why) {
    const auto fitness = [](const machine_facts& facts) {
        return bench::fitness_of(bench::diagnose(facts, needed));
    };
    auto facts = healthy();
    EXPECT_EQ(fitness(facts).how, severity::fine);
    EXPECT_SAYS(fitness(facts).sentence, "is fit for measurements; no problems");
    facts.turbo = true;
    EXPECT_EQ(fitness(facts).how, severity::warning);
    EXPECT_SAYS(fitness(facts).sentence, "has these problems: turbo (on)");
    facts.clocksource = "hpet";
    EXPECT_EQ(fitness(facts).how, severity::unreliable);
    for (const char* part : {"not fit", "clock (hpet, 25 ns per call)", "turbo (on)"})
        EXPECT_SAYS(fitness(facts).sentence, part);
}

TEST(doctor, a_limit_of_open_files_that_is_too_low_by_one_causes_a_warning) {
    const auto files = [](std::uint64_t there) {
        auto facts = healthy();
        facts.open_files_max = there;
        const auto all = bench::diagnose(facts, needed);
        return *std::ranges::find(all, "open files", &bench::finding::about);
    };
    EXPECT_EQ(files(needed).how, severity::fine);
    EXPECT_EQ(files(needed - 1).how, severity::warning);
    EXPECT_SAYS(files(needed - 1).remedy, "ulimit -Hn 10400");
}

TEST(doctor, a_process_with_the_perf_capability_can_use_perf_although_the_sysctl_forbids_it) {
    auto facts = healthy();
    facts.perf_paranoid = 3;
    facts.may_perf_anyway = true;
    for (const auto& found : bench::diagnose(facts, needed))
        EXPECT_EQ(found.how, severity::fine) << found.about;
    facts.perf_paranoid.reset();
    const auto all = bench::diagnose(facts, needed);
    EXPECT_EQ(std::ranges::find(all, "perf", &bench::finding::about)->how, severity::warning);
}

reports::contender built(const char* name, const char* build_type, const char* assertions) {
    return reports::describe(name, {{"build_type", build_type},
                                    {"optimised", "yes"},
                                    {"assertions", assertions},
                                    {"sanitizers", "off"}});
}

TEST(doctor, the_doctor_reports_debug_builds_and_unknown_builds_of_contenders) {
    using all = std::vector<reports::contender>;
    const auto release = built("loop-epoll", "Release", "off"), debug = built("mine", "Debug", "on");
    const auto found = [](const all& contenders) { return bench::diagnose_builds(contenders); };
    EXPECT_EQ(found({release, built("asio-epoll", "Release", "off")}).how, severity::fine);
    EXPECT_EQ(found({release}).remedy, "");
    EXPECT_EQ(found({debug}).how, severity::unreliable) << "the contender is a debug build";
    EXPECT_EQ(found({release, debug}).how, severity::unreliable);
    EXPECT_SAYS(found({release, debug}).found, "Release (loop-epoll); Debug (mine)");
    EXPECT_EQ(found({release, reports::describe("theirs", {})}).how, severity::warning);
    EXPECT_EQ(found({}).how, severity::warning);
    for (const auto& ill : {all{debug}, all{release, debug}, all{reports::describe("theirs", {})}, all{}})
        EXPECT_NE(found(ill).remedy, "");
}

TEST(doctor, the_doctor_command_examines_the_installed_contenders) {
    loopbench_command loopbench;
    const auto builds = [&](const std::vector<std::string>& arguments) {
        return nlohmann::json::parse(loopbench(arguments).output).at("findings").back();
    };
    EXPECT_EQ(builds({"doctor", "--json"})["found"], "no contenders found");
    loopbench.add_contender("mine", "", R"(, "build_type": "Debug", "optimised": "no")");
    EXPECT_EQ(builds({"doctor", "--json"})["severity"], "unreliable");
    EXPECT_EQ(loopbench({"doctor"}).code, 5);
    const auto text = loopbench({"doctor"}).output;
    const auto last = text.substr(text.rfind('\n', text.size() - 2) + 1);
    for (const char* part : {"not fit", "compiled without"}) EXPECT_SAYS(last, part);
    EXPECT_EQ(nlohmann::json::parse(loopbench({"doctor", "--json"}).output)["fitness"], "not fit");
    EXPECT_EQ(loopbench({"doctor", "--contender-dir", "/no/where"}).code, 2);
}

TEST(doctor, the_doctor_command_examines_the_machine_that_runs_the_test) {
    const loopbench_command loopbench;
    const auto ran = loopbench({"doctor", "--json"});
    const auto findings = nlohmann::json::parse(ran.output).at("findings");
    EXPECT_EQ(findings.size(), bench::diagnose(healthy(), needed).size() + 1);
    const bool unreliable =
        std::ranges::any_of(findings, [](const auto& one) { return one["severity"] == "unreliable"; });
    EXPECT_EQ(ran.code, unreliable ? 5 : 0);
    EXPECT_GT(std::stoi(findings[0]["found"].template get<std::string>()), 0) << "cores";
}

TEST(kernel_files, the_cpu_time_of_each_core_and_the_path_of_an_installed_file_are_read) {
    auto times = bench::read_cpu_times();
    EXPECT_GT(times["cpu"].busy_ns, 0);
    EXPECT_GT(times.size(), 1U) << "each CPU has its own entry";
    EXPECT_EQ(bench::installed_file("nothing").filename(), "nothing");
}

}  // namespace

}  // namespace loopbench::tests
