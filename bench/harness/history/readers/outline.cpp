#include "bench/harness/history/readers/outline.hpp"

#include <algorithm>

namespace loopbench::bench {

namespace {

/// Returns the position of the quotation mark that ends the string that begins at `begin`.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
    for (auto i = begin + 1; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            return i;
    }
    return text.size();
}

bool is_key(std::string_view text, std::size_t end) {
    const auto next = text.find_first_not_of(" \t\r\n", end + 1);
    return next != std::string_view::npos && text[next] == ':';
}

}  // namespace

outline::outline(std::string_view text) : text_{text} {
    std::size_t levels = 0;
    for (auto i = text.find('{'); i < text.size(); ++i) {
        if (text[i] == '{' || text[i] == '[') {
            ++levels;
        } else if (text[i] == '}' || text[i] == ']') {
            if (--levels == 0) return;
        } else if (text[i] == '"') {
            const auto end = end_of_string(text, i);
            if (levels == 1 && is_key(text, end)) keys_.push_back(text.substr(i + 1, end - i - 1));
            if (!keys_.empty() && keys_.back() == "schema") return;
            i = end;
        }
    }
}

bool outline::has_key(std::string_view key) const {
    return std::ranges::find(keys_, key) != keys_.end();
}

}  // namespace loopbench::bench
