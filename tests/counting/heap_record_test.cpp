// Tests the counter of allocations, which is preloaded into the counted programs.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "bench/harness/counting/tools.hpp"
#include "bench/harness/trial/process/child_process.hpp"

namespace loopbench::bench {
namespace {

/// Runs the command under the counter. The record contains the processes of all commands.
child_outcome run(const heap_record& record, std::vector<std::string> command,
                  const variable_map& more = {}) {
    auto variables = record.environment();
    variables.insert(more.begin(), more.end());
    return run_child(
        {.command = std::move(command), .environment = {variables.begin(), variables.end()}, .cpu = {}});
}

TEST(heap_record, allocations_of_all_descendants_count_even_if_a_signal_ends_them) {
    const heap_record record{LOOPBENCH_MALLOC_COUNTER};
    run(record, {"/bin/sh", "-c", "kill -9 $$"});
    const auto one = record.content().value_or(heap_use{});
    EXPECT_GT(one.allocations, 0);
    EXPECT_GT(one.bytes, one.allocations);
    run(record, {"/bin/sh", "-c", "/bin/sh -c 'kill -9 $$'; /bin/sh -c :; kill -9 $$"});
    EXPECT_GE(record.content(2).value_or(heap_use{}).allocations, 4 * one.allocations)
        << "the record sums up all processes";
}

TEST(heap_record, a_process_without_the_counter_leaves_the_counts_unknown) {
    EXPECT_FALSE(heap_record{LOOPBENCH_MALLOC_COUNTER}.content());
    const heap_record record{LOOPBENCH_MALLOC_COUNTER};
    run(record, {"/bin/sh", "-c", ":"});
    EXPECT_TRUE(record.content(1));
    EXPECT_FALSE(record.content(2)) << "two programs ran, but only one was counted";
}

TEST(heap_record, the_program_that_runs_commands_is_not_counted) {
    const heap_record record{LOOPBENCH_MALLOC_COUNTER};
    run(record, {LOOPBENCH_ALLOCATING_PROGRAM}, {{"LOOPBENCH_COMMAND", "[]"}});
    EXPECT_FALSE(record.content());
}

TEST(heap_record, a_program_without_allocations_has_none) {
    const heap_record record{LOOPBENCH_MALLOC_COUNTER};
    EXPECT_EQ(run(record, {LOOPBENCH_SUMMING_PROGRAM}).code, 0);
    const auto heap = record.content();
    ASSERT_TRUE(heap);
    EXPECT_EQ(heap->allocations, 0);
}

TEST(heap_record, a_statically_linked_program_leaves_the_counts_unknown) {
#ifdef LOOPBENCH_STATIC_PROGRAM
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{LOOPBENCH_STATIC_PROGRAM},
          {"/bin/sh", "-c", std::string{LOOPBENCH_STATIC_PROGRAM} + "; :"},
          {"/bin/sh", "-c", std::string{"exec "} + LOOPBENCH_STATIC_PROGRAM},
          {"/usr/bin/env", LOOPBENCH_STATIC_PROGRAM},
          {"/usr/bin/timeout", "60", LOOPBENCH_STATIC_PROGRAM},
          {"/usr/bin/nice", LOOPBENCH_STATIC_PROGRAM}}) {
        const heap_record record{LOOPBENCH_MALLOC_COUNTER};
        EXPECT_EQ(run(record, command).code, 0);
        EXPECT_FALSE(record.content()) << command.back();
    }
#else
    GTEST_SKIP() << "this system has no static C library";
#endif
}

TEST(heap_record, every_function_that_starts_a_program_is_counted) {
    for (const auto* const function : {"execl", "execle", "execlp", "execv", "execvp", "execvpe", "fexecve",
                                       "popen", "posix_spawn", "posix_spawnp", "system"}) {
        const heap_record counted{LOOPBENCH_MALLOC_COUNTER};
        EXPECT_EQ(run(counted, {LOOPBENCH_STARTING_PROGRAM, function, LOOPBENCH_ALLOCATING_PROGRAM}).code, 0);
        EXPECT_GE(counted.content().value_or(heap_use{}).allocations, 500) << function;
#ifdef LOOPBENCH_STATIC_PROGRAM
        const heap_record uncounted{LOOPBENCH_MALLOC_COUNTER};
        EXPECT_EQ(run(uncounted, {LOOPBENCH_STARTING_PROGRAM, function, LOOPBENCH_STATIC_PROGRAM}).code, 0);
        EXPECT_FALSE(uncounted.content()) << function;
#endif
    }
}

TEST(heap_record, a_shell_that_fails_to_start_a_program_is_counted) {
    const heap_record record{LOOPBENCH_MALLOC_COUNTER};
    EXPECT_EQ(run(record, {"/bin/sh", "-c", "/nowhere/program || exec /bin/sh -c :"}).code, 0);
    EXPECT_TRUE(record.content());
}

TEST(heap_record, all_allocating_functions_count) {
    const heap_record record{LOOPBENCH_MALLOC_COUNTER};
    EXPECT_EQ(run(record, {LOOPBENCH_ALLOCATING_PROGRAM}).code, 0);
    EXPECT_GE(record.content().value_or(heap_use{}).allocations, 500);
}

TEST(heap_record, memory_of_another_allocator_is_allocated_and_freed_by_it) {
    const heap_record record{LOOPBENCH_MALLOC_COUNTER};
    const auto ended = run(record, {LOOPBENCH_PROGRAM_WITH_ALLOCATOR});
    EXPECT_EQ(ended.end, child_end::exited) << "signal " << ended.code;
    EXPECT_EQ(ended.code, 0);
    EXPECT_FALSE(record.content()) << "its operator new can allocate without malloc";
}

TEST(heap_record, an_operator_new_of_another_library_leaves_the_counts_unknown) {
    const heap_record record{LOOPBENCH_MALLOC_COUNTER};
    EXPECT_EQ(run(record, {LOOPBENCH_PROGRAM_WITH_OPERATOR_NEW}).code, 0);
    EXPECT_FALSE(record.content());
}

TEST(heap_record, a_preloaded_allocator_of_the_user_keeps_its_precedence) {
    ::setenv("LD_PRELOAD", LOOPBENCH_PLANTED_ALLOCATOR, 1);
    const heap_record record{LOOPBENCH_MALLOC_COUNTER};
    ::unsetenv("LD_PRELOAD");
    const auto ended = run(record, {LOOPBENCH_ALLOCATING_PROGRAM});
    EXPECT_EQ(ended.end, child_end::exited) << "signal " << ended.code;
    EXPECT_FALSE(record.content()) << "the counter sees no allocations";
    EXPECT_TRUE(record.environment().at("LD_PRELOAD").ends_with(LOOPBENCH_MALLOC_COUNTER));
}

}  // namespace
}  // namespace loopbench::bench
