// Tests that bugs that the fuzzer has found stay fixed. Some inputs are named after their bug.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "bench/harness/bisection/steps_file.hpp"
#include "bench/harness/experiment/record.hpp"
#include "bench/harness/gate/baseline.hpp"
#include "readers.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"

namespace loopbench::tests {

namespace {

TEST(fuzz_corpus, every_file_of_the_corpus_is_accepted_or_refused_without_an_unexpected_exception) {
    std::set<char> letters;
    for (const auto& entry : std::filesystem::directory_iterator{LOOPBENCH_FUZZ_CORPUS}) {
        const auto input = reports::read_file(entry.path().native());
        ASSERT_FALSE(input.empty()) << entry.path();
        letters.insert(input.front());
        EXPECT_NO_THROW(fuzz::read(input)) << entry.path();
        EXPECT_NO_THROW(fuzz::read(input.substr(0, input.size() / 2))) << entry.path() << " cut in half";
    }
    for (const auto& reader : fuzz::readers)
        EXPECT_TRUE(letters.contains(reader.letter))
            << "the corpus has no seed for the reader of a " << reader.name;
}

// A reader refuses a file of an older format at its first line. A seed in an older format would therefore not
// lead the fuzzer to the rest of the reader's code.
TEST(fuzz_corpus, the_seed_files_have_the_current_file_formats) {
    const auto seed = [](const char* name) {
        return reports::read_file(LOOPBENCH_FUZZ_CORPUS "/" + std::string{name}).substr(1);
    };
    for (const auto* name : {"report", "report-small", "report-of-extremes"})
        EXPECT_NO_THROW(reports::read_json(seed(name), name)) << name;
    for (const auto* name : {"journal", "journal-whole", "journal-of-a-shard", "journal-merged-of-two-hosts"})
        EXPECT_NO_THROW(bench::read_journal(seed(name), name)) << name;
    EXPECT_NO_THROW(bench::parse_baseline(seed("baseline"), "baseline"));
    EXPECT_NO_THROW(bench::read_steps(seed("steps"), "steps"));
}

}  // namespace

}  // namespace loopbench::tests
