#include "bench/harness/cli/session/program_arguments.hpp"

#include <boost/tokenizer.hpp>

#include "bench/harness/trial/usage_error.hpp"

namespace loopbench::bench {

std::vector<std::string> words_in(const std::string& text) {
    try {
        const boost::escaped_list_separator<char> rules{"\\", " ", "\"'"};
        std::vector<std::string> words;
        for (const auto& word : boost::tokenizer{text, rules})
            if (!word.empty()) words.push_back(word);
        return words;
    } catch (const boost::escaped_list_error&) {
        throw usage_error{"--args={} contains an unknown escape; use quotes, or \\\\ for a backslash", text};
    }
}

}  // namespace loopbench::bench
