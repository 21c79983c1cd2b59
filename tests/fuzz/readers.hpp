// Everything that loopbench reads from files and from strangers' programs, in one list: the fuzzer and the
// tests throw the same inputs at all of it.
#pragma once

#include <array>
#include <string_view>

namespace loopbench::fuzz {

/// Reads `text`, and makes of it what the commands make of it. Whatever is wrong with the text has to be
/// refused with the reader's own error, which each function here takes; anything else that it throws is a
/// finding.
struct reader {
    char letter;  // the first byte of an input chooses the reader; the rest is the text
    std::string_view name;
    void (*read)(std::string_view text);
};

void read_report(std::string_view text);
void read_journal(std::string_view text);
void read_baseline(std::string_view text);
void read_benchmark_output(std::string_view text);
void read_benchmark_list(std::string_view text);
void read_histograms(std::string_view text);

/// A new format is a function above and a line here, and a seed in the folder corpus/.
inline constexpr std::array readers{
    reader{'r', "report", read_report},
    reader{'j', "journal", read_journal},
    reader{'b', "baseline", read_baseline},
    reader{'g', "benchmark output", read_benchmark_output},
    reader{'l', "benchmark list", read_benchmark_list},
    reader{'h', "list of histograms", read_histograms},
};

/// Gives the input to its reader; an input of nobody is passed over.
void read(std::string_view input);

}  // namespace loopbench::fuzz
