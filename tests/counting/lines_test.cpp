// Tests the counter of cache lines that move between threads (bench/suite/threads/lines).
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "bench/harness/trial/process/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace loopbench::bench {
namespace {

using totals = std::map<std::string, std::int64_t>;

struct program {
    std::string path = LOOPBENCH_LINES_PROGRAM;
    std::string design = "epoll";  // of Asio programs on the loop
};

constexpr int code_unsupported = 77;

/// Returns no counts if the kernel refuses io_uring.
totals line_counts_of(const std::string& kind, std::int64_t turns, const program& from = {}) {
    const tests::temporary_folder folder;
    const std::string file = folder / "counts";
    const auto outcome =
        run_child({.command = {from.path, kind, std::to_string(turns)},
                   .environment = {{"LOOPBENCH_LINES_FILE", file}, {"LOOPBENCH_ASIO", from.design}},
                   .cpu = {}});
    if (outcome.code == code_unsupported) return {};
    EXPECT_EQ(outcome.code, 0) << outcome.error_tail;
    totals counts;
    std::ifstream in(file);
    for (std::string name; in >> name;) {
        std::int64_t number = 0;
        in >> number;
        if (name == "place") {
            std::string offset_and_object;
            std::getline(in, offset_and_object);
            counts[name] += number;
        } else {
            counts[name] = number;
        }
    }
    return counts;
}

/// Returns the counts of `turns` turns of each thread, without those of the program's start and end.
totals counts_of_turns(const std::string& kind, std::int64_t turns, const program& from = {}) {
    const totals few = line_counts_of(kind, turns, from);
    totals difference = line_counts_of(kind, 2 * turns, from);
    for (const auto& [name, count] : few) difference[name] -= count;
    return difference;
}

constexpr std::int64_t turns_each = 50, turns = 2 * turns_each;

// The first turn can have one move less if the other thread is not waiting yet.
void expect_moves(const std::string& kind, std::int64_t moves_of_a_turn) {
    EXPECT_NEAR(static_cast<double>(counts_of_turns(kind, turns_each).at("moves")),
                static_cast<double>(moves_of_a_turn * turns), 2);
}

// A turn begins when a thread reads what the other one has written, and ends when it writes there: two moves.
TEST(lines, a_line_that_only_one_thread_uses_does_not_move) {
    expect_moves("own", 2);
}

TEST(lines, a_line_moves_when_another_thread_has_used_it) {
    expect_moves("shared", 3);
}

TEST(lines, a_read_and_a_write_of_a_line_that_another_thread_has_written_are_two_moves) {
    expect_moves("changed", 4);
}

TEST(lines, numbers_that_only_one_thread_uses_move_together_if_they_share_a_line) {
    expect_moves("neighbours", 3);
}

TEST(lines, a_mutex_is_a_line_that_moves_and_two_atomic_operations) {
    expect_moves("locked", 4);
    const totals counts = counts_of_turns("locked", turns_each);
    EXPECT_EQ(counts.at("locks"), turns);
    EXPECT_EQ(counts.at("atomics"), 2 * turns);
}

/// Returns the moves of a turn of apart_program, in which a thread does 60 operations, beyond those that pass
/// the turn on. Returns nothing if the kernel refuses io_uring.
std::optional<double> further_moves(const std::string& kind, const std::string& design = "epoll") {
    constexpr std::int64_t turns_of_each = 250;
    const totals counts =
        counts_of_turns(kind, turns_of_each, {.path = LOOPBENCH_APART_PROGRAM, .design = design});
    if (counts.empty()) return std::nullopt;
    return static_cast<double>(counts.at("moves")) / (2 * turns_of_each) - 2;
}

TEST(lines, contexts_and_loops_in_different_threads_share_no_lines) {
    constexpr double tolerance = 0.2;  // the starts and ends of two runs differ by some twenty moves
    EXPECT_NEAR(further_moves("contexts").value(), 0, tolerance);
    EXPECT_NEAR(further_moves("loop-epoll").value(), 0, tolerance);
    for (const auto& moves : {further_moves("contexts", "io_uring"), further_moves("loop-uring")})
        EXPECT_NEAR(moves.value_or(0), 0, tolerance);
    EXPECT_NEAR(further_moves("contexts_with_a_number").value(), 1, tolerance);
}

TEST(lines, contexts_that_one_thread_has_made_share_at_most_the_line_of_a_registry_of_services) {
    // Asio allocates this registry, which each run() locks, so that it can be a neighbour of another
    // context's memory.
    for (const char* const design : {"epoll", "io_uring"})
        EXPECT_LT(further_moves("contexts_of_one_thread", design).value_or(0), 1.5) << design;
}

TEST(lines, each_move_has_a_place) {
    const totals counts = line_counts_of("shared", turns_each);
    EXPECT_EQ(counts.at("place"), counts.at("moves"));
}

}  // namespace
}  // namespace loopbench::bench
