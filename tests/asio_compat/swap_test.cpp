// Tests that `loopbench compare` and `run` state on which loop a swapped Boost.Asio program ran, and that
// they warn of a swap without effect.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/harness/trial/asio_use.hpp"
#include "loop/io/drivers.hpp"
#include "loopbench/asio/detail/context_record.hpp"
#include "tests/support/command_support.hpp"
#include "tests/support/journal_lines.hpp"
#include "tests/support/schema_check.hpp"

namespace loopbench::tests {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string stock = SWAP_BENCHMARK, swapped = SWAP_BENCHMARK_SWAPPED, hidden = SWAP_BENCHMARK_HIDDEN,
                  stock_program = ASIO_PROGRAM, swapped_program = ASIO_PROGRAM_SWAPPED,
                  swapped_server = SWAP_SERVER, other_server = LOOPBENCH_ECHO_SERVER;

constexpr const char* one_block = "--blocks 1 --min-time 1ms";

bool is_measured(int code) {
    return code == 0 || code == 3 || code == 4 || code == 5;
}

std::string quoted(const std::string& text) {
    return "'" + text + "'";
}

class swapped_programs : public testing::Test {
protected:
    swapped_programs() {
        fs::create_symlink(LOOPBENCH_CLIENT, loopbench.path("bin/loopbench-client"));
        fs::create_symlink(LOOPBENCH_COMMAND_RUNNER, loopbench.path("bin/loopbench-command"));
    }

    /// Runs `loopbench compare`. `what` contains the words of its command line that name the programs.
    /// `variables` precedes the command.
    bench::child_outcome compare(const std::string& what, const std::string& variables = {},
                                 const std::string& trials = one_block) const {
        const auto ran = loopbench.in_shell(
            fmt::format("{} \"$loopbench\" compare {} --seed 5 -o \"$out\" {}", variables, trials, what));
        EXPECT_TRUE(is_measured(ran.code)) << ran.code << ran.error_tail;
        EXPECT_TRUE(fits_the_schema(loopbench.report()));
        return ran;
    }
    bench::child_outcome compare_commands(const std::string& base, const std::string& next) const {
        return compare(fmt::format("-- \"{}\" \"{}\"", base, next));
    }

    /// Returns the field "asio" of the baseline (0) or the new program (1), or null if it is absent.
    json asio_of(std::size_t contender) const {
        return loopbench.report().at("contenders").at(contender).value("asio", json{});
    }
    std::size_t warnings() const {
        const auto report = loopbench.report();
        return static_cast<std::size_t>(std::ranges::count_if(
            report["warnings"], [](const json& item) { return item["code"] == "asio_swap_without_effect"; }));
    }

    loopbench_command loopbench;
};

json on(const std::string& loop, bool has_dropin = true) {
    return {{"dropin", has_dropin}, {"loops", json::array({loop})}};
}

/// Returns the values of LOOPBENCH_ASIO that this machine supports.
std::vector<std::string> loops_here() {
    if (loop::io_uring_refusal().empty()) return {"epoll", "io_uring"};
    return {"epoll"};
}

TEST_F(swapped_programs, the_report_states_on_which_loop_a_swapped_benchmark_ran) {
    for (const auto& name : loops_here()) {
        const auto ran = compare(quoted(stock) + " " + quoted(swapped), "LOOPBENCH_ASIO=" + name);
        EXPECT_EQ(asio_of(0), json{}) << "a program on Asio's own context";
        EXPECT_EQ(asio_of(1), on(name));
        EXPECT_EQ(warnings(), 0U);
        const auto sentence = "swap_benchmark_swapped ran on loopbench's " + name + " loop.";
        EXPECT_SAYS(ran.output, sentence);
        EXPECT_SAYS(content_of(loopbench.path("out/report.html")), "ran on loopbench's " + name + " loop");
        EXPECT_SAYS(loopbench({"report", loopbench.out() + "/report.json", "--format", "markdown"}).output,
                    "ran on loopbench's");
    }
}

TEST_F(swapped_programs, the_loop_of_the_default_context_is_epoll) {
    compare(quoted(swapped) + " " + quoted(swapped));
    EXPECT_EQ(asio_of(0), on("epoll"));
    EXPECT_EQ(asio_of(1), on("epoll"));
}

TEST_F(swapped_programs, a_journal_has_the_loops_of_its_report) {
    compare(quoted(stock) + " " + quoted(swapped));
    for (const auto* file : {"/report.json", "/journal.jsonl"}) {
        const auto written = loopbench({"report", loopbench.out() + file, "--format", "json"}).output;
        EXPECT_EQ(json::parse(written).at("contenders").at(1).value("asio", json{}), on("epoll")) << file;
    }
}

TEST_F(swapped_programs, a_comparison_of_swapped_programs_can_be_resumed) {
    compare(quoted(stock) + " " + quoted(swapped), "", "--blocks 2 --min-time 1ms");
    const auto journal = loopbench.path("out/journal.jsonl");
    auto text = content_of(journal);
    for (int lines = 0; lines < 3; ++lines) text.erase(text.rfind('\n', text.size() - 2) + 1);
    reports::write_file_atomically(journal, text);
    const auto resumed = loopbench({"run", "--resume", loopbench.out()});
    EXPECT_TRUE(is_measured(resumed.code)) << resumed.code << resumed.error_tail;
    EXPECT_EQ(asio_of(1), on("epoll"));
}

TEST_F(swapped_programs, a_context_of_a_library_that_was_not_swapped_causes_one_warning) {
    const auto ran = compare(quoted(stock) + " " + quoted(hidden));
    EXPECT_EQ(asio_of(1), (json{{"dropin", true}, {"loops", json::array()}}));
    EXPECT_EQ(warnings(), 1U);
    EXPECT_SAYS(ran.error_tail, "swap_benchmark_hidden was compiled with loopbench/asio/dropin.hpp");
    EXPECT_SAYS(ran.error_tail, "compile the library with the header");
    EXPECT_FALSE(says(ran.output, "ran on loopbench's")) << ran.output;
}

TEST_F(swapped_programs, programs_without_the_header_are_not_mentioned) {
    const auto ran = compare(quoted(stock) + " " + quoted(stock));
    for (const std::size_t side : {0U, 1U}) EXPECT_EQ(asio_of(side), json{});
    EXPECT_EQ(warnings(), 0U);
    EXPECT_FALSE(says(ran.output + ran.error_tail, "dropin")) << ran.error_tail;
    EXPECT_FALSE(says(ran.output, "ran on loopbench's")) << ran.output;
}

TEST_F(swapped_programs, the_loop_of_a_swapped_command_is_stated) {
    const auto ran = compare_commands(stock_program, swapped_program);
    EXPECT_EQ(asio_of(0), json{});
    EXPECT_EQ(asio_of(1), on("epoll"));
    EXPECT_SAYS(ran.output, "ran on loopbench's epoll loop.");
}

TEST_F(swapped_programs, the_loop_of_a_program_that_a_launcher_starts_is_stated_without_a_warning) {
    fs::create_directories(loopbench.path("a b"));
    const auto script = loopbench.add_program("a b/launch", "exec " + quoted(swapped_program) + "\n");
    for (const auto& launcher :
         {"env SOME=thing " + swapped_program, "nice -n 0 " + swapped_program,
          quoted(swapped_program) + " & wait", quoted(script), "(" + quoted(swapped_program) + ")"}) {
        compare_commands("true", launcher);
        EXPECT_EQ(asio_of(1), on("epoll", false)) << launcher;
        EXPECT_EQ(warnings(), 0U) << launcher;
    }
}

TEST_F(swapped_programs, each_side_has_its_own_loop) {
    if (const auto why = loop::io_uring_refusal(); !why.empty()) GTEST_SKIP() << why;
    const auto ran = compare_commands("env LOOPBENCH_ASIO=epoll " + swapped_program,
                                      "env LOOPBENCH_ASIO=io_uring " + swapped_program);
    EXPECT_EQ(asio_of(0), on("epoll", false));
    EXPECT_EQ(asio_of(1), on("io_uring", false));
    EXPECT_SAYS(ran.output, "ran on loopbench's epoll loop; ");
}

TEST_F(swapped_programs, a_launcher_that_starts_no_swapped_program_is_not_mentioned) {
    compare_commands("env SOME=thing " + swapped_program, "env SOME=thing " + stock_program);
    EXPECT_EQ(asio_of(0), on("epoll", false));
    EXPECT_EQ(asio_of(1), json{}) << "the record of one side must not reach the other";
    EXPECT_EQ(warnings(), 0U);
}

TEST_F(swapped_programs, the_loops_of_scripts_that_start_swapped_programs_are_in_the_report_of_a_run) {
    loopbench.add_contender("asio-epoll", good_row);
    loopbench.add_contender("loop-epoll", quoted(swapped_program) + " > /dev/null\n" + good_row);
    const auto ran = loopbench({"run", "--blocks", "1", "-o", loopbench.out()});
    ASSERT_TRUE(is_measured(ran.code)) << ran.error_tail;
    EXPECT_EQ(asio_of(0), json{});
    EXPECT_EQ(asio_of(1), on("epoll", false));
    EXPECT_EQ(warnings(), 0U);
}

TEST_F(swapped_programs, the_loop_of_a_server_that_is_killed_is_stated) {
    for (const auto& name : loops_here()) {
        compare("--client echo --workload served/echo/conns:1 " + quoted(other_server) + " " +
                    quoted(swapped_server) + " -- '{port}'",
                "LOOPBENCH_ASIO=" + name);
        EXPECT_EQ(asio_of(0), json{});
        EXPECT_EQ(asio_of(1), on(name));
    }
}

TEST_F(swapped_programs, the_contexts_of_the_client_do_not_count_for_the_server) {
    compare("--client " + quoted(swapped_program + " # {port}") + " " + quoted(other_server) + " " +
            quoted(other_server) + " -- '{port}'");
    for (const std::size_t side : {0U, 1U}) EXPECT_EQ(asio_of(side), json{});
}

TEST_F(swapped_programs, a_temporary_folder_with_blanks_in_its_name_holds_the_record) {
    fs::create_directories(loopbench.path("a folder"));
    compare(quoted(stock) + " " + quoted(swapped), "TMPDIR=\"$folder/a folder\"");
    EXPECT_EQ(asio_of(1), on("epoll"));
}

TEST_F(swapped_programs, a_program_does_not_write_into_the_file_that_the_user_names) {
    compare(quoted(stock) + " " + quoted(swapped), "LOOPBENCH_ASIO_CONTEXTS=\"$folder/of_user\"");
    EXPECT_FALSE(fs::exists(loopbench.path("of_user")));
    EXPECT_EQ(asio_of(1), on("epoll"));
}

TEST_F(swapped_programs, only_the_first_run_of_a_command_makes_a_record) {
    const auto script = loopbench.add_program(
        "notes",
        fmt::format("[ -z \"$LOOPBENCH_ASIO_CONTEXTS\" ] || echo . >> '{0}/with'\necho . >> '{0}/all'\n",
                    loopbench.path("").native()));
    const auto command = "\"" + quoted(script) + "\"";
    compare("-- " + command + " " + command, "", "--blocks 1 --min-time 1s");
    const auto all = content_of(loopbench.path("all")).size(),
               with = content_of(loopbench.path("with")).size();
    EXPECT_GT(with, 0U);
    EXPECT_GT(all, with);
}

TEST_F(swapped_programs, only_the_first_block_makes_a_record) {
    const auto script = loopbench.add_program(
        "notes",
        fmt::format("[ -z \"$LOOPBENCH_ASIO_CONTEXTS\" ] || echo . >> '{0}/with'\necho . >> '{0}/all'\n",
                    loopbench.path("").native()));
    const auto command = "\"" + quoted(script) + "\"";
    const auto sizes = [&](const std::string& blocks) {
        for (const auto* const file : {"with", "all"}) fs::remove(loopbench.path(file));
        compare("-- " + command + " " + command, "", "--min-time 1ms --blocks " + blocks);
        return std::pair{content_of(loopbench.path("with")).size(), content_of(loopbench.path("all")).size()};
    };
    const auto one = sizes("1"), four = sizes("4");
    EXPECT_EQ(one.first, four.first);
    EXPECT_LT(one.second, four.second);
}

TEST_F(swapped_programs, the_reason_why_io_uring_was_refused_is_in_the_report) {
    const auto ran =
        loopbench.in_shell(fmt::format("LOOPBENCH_ASIO=io_uring python3 '{}' \"$loopbench\" compare {} -o "
                                       "\"$out\" --client echo '{}' '{}' -- "
                                       "'{{port}}'",
                                       WITHOUT_IO_URING, one_block, other_server, swapped_server));
    EXPECT_EQ(ran.code, 1) << ran.error_tail;
    const auto asio = asio_of(1);
    EXPECT_EQ(asio.value("loops", json{}), json::array());
    EXPECT_SAYS(asio.value("failure", std::string{}), "io_uring refused");
    EXPECT_SAYS(ran.output, "io_uring refused");
    EXPECT_EQ(warnings(), 0U) << "a failed trial has a reason";
}

TEST(dropin_note, programs_that_were_compiled_with_the_header_have_the_note) {
    for (const auto& with : {swapped, hidden, swapped_program, swapped_server})
        EXPECT_TRUE(bench::has_dropin_note(with)) << with;
    for (const auto& without : {stock, stock_program, other_server})
        EXPECT_FALSE(bench::has_dropin_note(without)) << without;
}

TEST_F(swapped_programs, a_command_without_a_folder_is_found_in_path) {
    fs::create_directories(loopbench.path("bin_of_user"));
    fs::copy_file(swapped_program, loopbench.path("bin_of_user/sleep_or_not"));
    fs::copy_file(swapped_program, loopbench.path("true"));
    for (const auto& [command, warned] : {std::pair{"sleep_or_not", true}, {"true", false}}) {
        const auto ran = loopbench.in_shell(fmt::format(
            "cd \"$folder\"; PATH=\"$folder/bin_of_user:$PATH\" LOOPBENCH_ASIO= \"$loopbench\" compare "
            "--blocks 1 --min-time 1ms -o \"$out\" -- /bin/true {}; exit 0",
            command));
        const auto contenders = loopbench.report()["contenders"];
        EXPECT_EQ(contenders.at(1).contains("asio"), warned) << command << ran.output << ran.error_tail;
    }
}

TEST(dropin_note, set_user_id_programs_count_as_programs_without_a_note) {
    const temporary_folder folder;
    fs::copy_file(swapped, folder / "program");
    EXPECT_TRUE(bench::has_dropin_note(folder / "program"));
    fs::permissions(folder / "program", fs::perms::set_uid, fs::perm_options::add);
    EXPECT_FALSE(bench::has_dropin_note(folder / "program"));
}

TEST(dropin_note, other_files_have_no_note) {
    const temporary_folder folder;
    write_script(folder / "script", "exec " + swapped);
    EXPECT_FALSE(bench::has_dropin_note(folder / "script"));
    EXPECT_FALSE(bench::has_dropin_note(folder.path()));
    EXPECT_FALSE(bench::has_dropin_note(folder / "missing"));
    const auto whole = content_of(swapped);
    for (const std::size_t bytes : {0U, 3U, 40U, 64U, 100U, 300U}) {
        reports::write_file_atomically(folder / "cut", whole.substr(0, bytes));
        EXPECT_FALSE(bench::has_dropin_note(folder / "cut")) << bytes;
    }
}

TEST(context_record, a_record_has_one_line_for_each_call) {
    const temporary_folder folder;
    const auto file = folder / "contexts";
    asio::detail::record_context("epoll");
    ASSERT_EQ(::setenv("LOOPBENCH_ASIO_CONTEXTS", file.c_str(), 1), 0);
    asio::detail::record_context("epoll");
    asio::detail::record_context("io_uring", "two\nlines");
    asio::detail::record_context("io_uring", std::string(5000, 'x').c_str());
    ASSERT_EQ(::unsetenv("LOOPBENCH_ASIO_CONTEXTS"), 0);
    asio::detail::record_context("io_uring");
    const auto process = std::to_string(::getpid());
    const auto text = content_of(file);
    EXPECT_TRUE(text.starts_with("epoll " + process + "\nio_uring " + process + " two lines\nio_uring "))
        << text;
    EXPECT_EQ(std::ranges::count(text, '\n'), 3) << text;
    EXPECT_TRUE(text.ends_with("x\n"));
    const auto found = bench::read_asio_contexts(file);
    EXPECT_EQ(found.loops, std::vector<std::string>{"epoll"});
    EXPECT_EQ(found.failure, "two lines");
}

TEST(context_record, invalid_lines_and_files_are_ignored) {
    const temporary_folder folder;
    const auto file = folder / "contexts";
    reports::write_file_atomically(file, "\nepoll\n\x1b[31m 1\nio_uring 7\nio_uring 8\nepoll 9 why");
    const auto found = bench::read_asio_contexts(file);
    EXPECT_EQ(found.loops, std::vector<std::string>{"io_uring"});
    EXPECT_EQ(found.failure, "why");
    EXPECT_TRUE(bench::read_asio_contexts(folder / "missing").loops.empty());
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_TRUE(bench::read_asio_contexts(folder / "pipe").loops.empty());
}

}  // namespace

}  // namespace loopbench::tests
