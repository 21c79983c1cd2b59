#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopbench::bench {

struct glossary_term {
    std::string name;
    std::vector<std::string> spellings;
    std::string meaning;

    /// Returns true if `word` is the name of the term or another spelling of it. Ignores case and the dashes
    /// of an option.
    [[nodiscard]] bool is_called(std::string_view word) const;
};

std::span<const glossary_term> glossary();

/// Parses the table rows of a glossary, such as "| block (`--blocks`) | one trial of ... |".
std::vector<glossary_term> glossary_terms_in(std::string_view markdown);

std::string in_small_letters(std::string_view text);

}  // namespace loopbench::bench
