// The terms of docs/glossary.md, which the build embeds into the executable.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

struct glossary_term {
    std::string name;
    std::vector<std::string> spellings;  // its spellings in options, files and values
    std::string meaning;                 // without Markdown

    /// Returns true if `word` is the term's name or one of its spellings. Ignores case and the dashes of an
    /// option.
    [[nodiscard]] bool is_called(std::string_view word) const;
};

/// Returns the terms in the order of docs/glossary.md.
std::span<const glossary_term> glossary();

/// Parses the rows of the glossary's table, for example "| block (`--blocks`) | one trial of ... |".
std::vector<glossary_term> glossary_terms_in(std::string_view markdown);

/// Returns the text with small letters instead of ASCII capitals.
std::string in_small_letters(std::string_view text);

}  // namespace loopbench::bench
