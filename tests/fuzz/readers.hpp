#pragma once

#include <array>
#include <string_view>

namespace loopbench::fuzz {

/// A reader of one format. It catches only the type of exception that reports an invalid text. Any other
/// exception is a bug.
struct reader {
    char letter;  // the first byte of an input, which selects the reader
    std::string_view name;
    void (*read)(std::string_view text);
};

void read_report(std::string_view text);
void read_journal(std::string_view text);
void read_baseline(std::string_view text);
void read_benchmark_output(std::string_view text);
void read_benchmark_list(std::string_view text);
void read_histograms(std::string_view text);
void read_tool_file(std::string_view text);
void read_steps(std::string_view text);

/// All readers. A new format needs a function above, a line here, and a seed in the folder corpus/.
inline constexpr std::array readers{
    reader{'r', "report", read_report},
    reader{'j', "journal", read_journal},
    reader{'b', "baseline", read_baseline},
    reader{'g', "benchmark output", read_benchmark_output},
    reader{'l', "benchmark list", read_benchmark_list},
    reader{'h', "list of histograms", read_histograms},
    reader{'t', "file of another tool", read_tool_file},
    reader{'s', "file of the steps of a bisection", read_steps},
};

void read(std::string_view input);

}  // namespace loopbench::fuzz
