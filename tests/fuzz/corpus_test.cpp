// Reads every input of the corpus in every build, so that bugs found by the fuzzer stay fixed. The file names
// of some inputs name the bug that they once triggered.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "readers.hpp"
#include "reports/files/posix_io.hpp"

namespace loopbench::tests {

namespace {

TEST(fuzz_corpus, every_input_is_accepted_or_refused_by_its_reader) {
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
            << "there is no seed for the reader of a " << reader.name;
}

}  // namespace

}  // namespace loopbench::tests
