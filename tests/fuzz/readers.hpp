// Lists everything that loopbench reads from files and from third-party programs. The fuzzer and the tests
// pass the same inputs to all of these readers.
#pragma once

#include <array>
#include <string_view>

namespace loopbench::fuzz {

/// A function that reads a text in one format and then uses the result as the commands do. The function
/// catches only the exception type with which the code for this format refuses invalid texts. Any other
/// exception is a bug.
struct reader {
    char letter;  // the first byte of an input selects the reader; the rest is the text
    std::string_view name;
    void (*read)(std::string_view text);
};

void read_report(std::string_view text);
void read_journal(std::string_view text);
void read_baseline(std::string_view text);
void read_benchmark_output(std::string_view text);
void read_benchmark_list(std::string_view text);
void read_histograms(std::string_view text);

/// The list of readers. A new format needs a function above, a line here, and a seed in the folder corpus/.
inline constexpr std::array readers{
    reader{'r', "report", read_report},
    reader{'j', "journal", read_journal},
    reader{'b', "baseline", read_baseline},
    reader{'g', "benchmark output", read_benchmark_output},
    reader{'l', "benchmark list", read_benchmark_list},
    reader{'h', "list of histograms", read_histograms},
};

/// Passes the input after its first byte to the reader that the first byte selects. Ignores an
/// input without a reader.
void read(std::string_view input);

}  // namespace loopbench::fuzz
