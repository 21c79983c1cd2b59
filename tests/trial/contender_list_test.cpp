// Tests how contenders and their workloads are found, and how changes of their files are detected.
#include "bench/harness/trial/contender_list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tests/support/says.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::tests {

namespace {

using namespace std::chrono_literals;
using bench::contender;

contender asked(const std::string& script) {
    const temporary_folder folder;
    write_script(folder / "contender", script);
    contender who{"contender", folder / "contender", {}, {}};
    bench::list_workloads(who, bench::workload_size::small, 60s, -1);
    return who;
}

TEST(contender_list, only_the_executables_of_a_folder_are_contenders_and_they_are_sorted_by_name) {
    const temporary_folder folder;
    for (const auto* name : {"b", "a", ".hidden"}) write_script(folder / name, "");
    reports::write_file_atomically(folder / "notes.txt", "");
    std::filesystem::create_directory(folder / "folder");
    const std::array folders{folder.path()};
    const auto found = bench::find_contenders(folders);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].name, "a");
    EXPECT_EQ(found[1].path, folder / "b");
}

TEST(contender_list, the_users_choice_of_a_loop_for_asio_programs_is_stored) {
    const temporary_folder folder;
    write_script(folder / "one", "");
    const auto environment = [&] {
        return bench::find_contenders(std::array{folder.path()}).front().environment;
    };
    ASSERT_EQ(::setenv("LOOPBENCH_ASIO", "io_uring", 1), 0);
    const auto said = environment();
    ASSERT_EQ(::unsetenv("LOOPBENCH_ASIO"), 0);
    EXPECT_EQ(said.at("LOOPBENCH_ASIO"), "io_uring");
    EXPECT_TRUE(environment().empty());
}

TEST(contender_list, changes_of_a_contenders_files_are_detected) {
    const temporary_folder folder;
    for (const auto* file : {"bin/one", "bin/two", "loopbench-generator"})
        write_script(folder / file, "exit");
    const auto who = bench::find_contenders(std::array{folder / "bin"}).front();
    EXPECT_EQ(bench::changed_file(who), std::nullopt);
    write_script(folder / "bin/two", "exit");
    EXPECT_EQ(bench::changed_file(who), std::nullopt) << "the file belongs to another contender";
    write_script(folder / "loopbench-generator", "exit");
    EXPECT_EQ(bench::changed_file(who), (folder / "loopbench-generator").native());
    write_script(folder / "bin/one", "exit");
    EXPECT_EQ(bench::changed_file(who), (folder / "bin/one").native());
}

TEST(contender_list, libraries_are_parsed_from_the_loaders_output) {
    EXPECT_EQ(bench::libraries_in("\tlinux-vdso.so.1 (0x00007ffd1b5f2000)\n"
                                  "\tlibfoo.so => /opt/a b/libfoo.so (0x00007f1)\n"
                                  "\tlibgone.so => not found\n"
                                  "\t/lib64/ld-linux-x86-64.so.2 (0x00007f2)\n"
                                  "echo/rtt (0x1)\n"),
              (std::vector<std::string>{"/opt/a b/libfoo.so", "/lib64/ld-linux-x86-64.so.2"}));
}

TEST(contender_list, changes_of_files_named_by_a_contender_are_detected) {
    const temporary_folder folder;
    for (const auto* file : {"bin/script", "bin/module", "elsewhere"}) write_script(folder / file, "exit");
    std::filesystem::create_symlink("bin/script", folder / "link");
    for (const auto& named : {std::string{"module"}, (folder / "elsewhere").native()}) {
        bench::contender who{"link", folder / "link", {}, {}};
        bench::remember_named_files(who, {{"files", named}});
        EXPECT_TRUE(who.files.empty()) << "the file is not watched";
        bench::remember_files(who);
        bench::remember_named_files(who, {{"files", nlohmann::ordered_json::array({1, named})}});
        bench::remember_named_files(who, {{"files", named}});
        EXPECT_EQ(who.files.size(), 2U);
        EXPECT_EQ(bench::changed_file(who), std::nullopt);
        const auto changed = folder / "bin" / named;
        write_script(changed, "exit");
        EXPECT_EQ(bench::changed_file(who), changed.native());
    }
}

TEST(contender_list, a_change_of_the_file_of_any_layout_is_detected) {
    const temporary_folder folder;
    bench::contender who{"contender", folder / "1", {}, {}};
    who.layouts = {folder / "1", folder / "2"};
    for (const auto& layout : who.layouts) write_script(layout, "exit");
    bench::remember_files(who);
    EXPECT_EQ(bench::changed_file(who), std::nullopt);
    std::filesystem::remove(folder / "2");
    EXPECT_EQ(bench::changed_file(who), (folder / "2").native());
}

TEST(contender_list, a_contender_folder_that_is_given_twice_is_searched_once) {
    const temporary_folder folder;
    write_script(folder / "bin/same", "");
    std::filesystem::create_symlink("bin", folder / "link");
    const std::array folders{folder / "bin", folder / "bin/../bin", folder / "link"};
    EXPECT_EQ(bench::find_contenders(folders).size(), 1U);
}

TEST(contender_list, two_contenders_with_the_same_name_cause_an_error_that_shows_both_paths) {
    const temporary_folder one, two;
    write_script(one / "same", "");
    write_script(two / "same", "");
    const std::array folders{one.path(), two.path()};
    const auto complaint = complaint_of<bench::usage_error>([&] { bench::find_contenders(folders); });
    for (const auto* each : {&one, &two}) EXPECT_SAYS(complaint, (*each / "same").native());
}

TEST(contender_list, a_contender_lists_the_workloads_of_the_requested_size) {
    const auto who = asked("echo $LOOPBENCH_SIZE/real_time; echo $1");
    EXPECT_EQ(who.workloads, (std::vector<std::string>{"small/real_time", "--benchmark_list_tests=true"}));
    EXPECT_EQ(who.problem, "");
}

TEST(contender_list, the_reason_why_a_contender_cannot_list_its_workloads_is_stored) {
    EXPECT_EQ(asked("echo broken >&2; exit 1").problem,
              "cannot list the contender's workloads: exit code 1: broken");
    EXPECT_SAYS(asked("").problem, "--benchmark_list_tests");
}

}  // namespace

}  // namespace loopbench::tests
