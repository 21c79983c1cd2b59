#include "bench/harness/cli/glossary.hpp"

#include <algorithm>
#include <iterator>
#include <regex>
#include <sstream>

__asm__(
    ".pushsection .rodata,\"a\",@progbits\n"
    "loopbench_glossary_md:\n.incbin \"" LOOPBENCH_GLOSSARY
    "\"\n"
    "loopbench_glossary_md_end:\n"
    ".popsection\n");
extern "C" const char loopbench_glossary_md[], loopbench_glossary_md_end[];

namespace loopbench::bench {

namespace {

std::string without_markdown(const std::string& text) {
    static const std::regex link{R"(\[([^\]]*)\]\([^)]*\))"}, mark{"`"};
    return std::regex_replace(std::regex_replace(text, link, "$1"), mark, "");
}

std::vector<std::string> code_in(const std::string& text) {
    static const std::regex code{"`([^`]*)`"};
    std::vector<std::string> all;
    for (std::sregex_iterator found{text.begin(), text.end(), code}, end; found != end; ++found)
        all.push_back((*found)[1]);
    return all;
}

std::string_view without_dashes(std::string_view word) {
    return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

}  // namespace

std::string in_small_letters(std::string_view text) {
    std::string small;
    std::ranges::transform(text, std::back_inserter(small), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return small;
}

bool glossary_term::is_called(std::string_view word) const {
    const auto wanted = in_small_letters(without_dashes(word));
    return in_small_letters(name) == wanted || std::ranges::any_of(spellings, [&](const auto& spelling) {
               return in_small_letters(without_dashes(spelling)) == wanted;
           });
}

std::vector<glossary_term> glossary_terms_in(std::string_view markdown) {
    static const std::regex row{R"(\| ([^|(]*[^|( ]) (?:\(([^|]*)\) )?\| (.*) \|)"};
    std::istringstream lines{std::string{markdown}};
    std::vector<glossary_term> all;
    for (std::string line; std::getline(lines, line);)
        if (std::smatch parts; std::regex_match(line, parts, row) && parts[1] != "term")
            all.push_back({parts[1], code_in(parts[2]), without_markdown(parts[3])});
    return all;
}

std::span<const glossary_term> glossary() {
    static const auto all = glossary_terms_in({loopbench_glossary_md, loopbench_glossary_md_end});
    return all;
}

}  // namespace loopbench::bench
