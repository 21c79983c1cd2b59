#include "bench/catalog/used_cores.hpp"

#include <charconv>

namespace loopbench::bench {

namespace {

constexpr std::string_view threads_word = "threads=", generator_word = "generator=";

void add(std::string& label, std::string_view word, const std::vector<int>& cores) {
    if (cores.empty()) return;
    label += label.empty() ? "" : " ";
    label += word;
    for (std::size_t i = 0; i < cores.size(); ++i) label += (i == 0 ? "" : ",") + std::to_string(cores[i]);
}

/// Removes a list of cores, such as "0,1", from the front of the text. Returns an empty list if the text does
/// not begin with one.
std::vector<int> take_cores(std::string_view& text) {
    std::vector<int> cores;
    for (;;) {
        int core = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), core);
        if (error != std::errc{} || core < 0) return {};
        cores.push_back(core);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (!text.starts_with(',')) return cores;
        text.remove_prefix(1);
    }
}

}  // namespace

std::string label_of(const reports::used_cores& cores) {
    std::string label;
    add(label, threads_word, cores.threads);
    add(label, generator_word, cores.generator);
    return label;
}

std::optional<reports::used_cores> used_cores_in(std::string_view label) {
    if (!label.starts_with(threads_word)) return std::nullopt;
    label.remove_prefix(threads_word.size());
    reports::used_cores found{.threads = take_cores(label), .generator = {}};
    if (found.threads.empty()) return std::nullopt;
    if (label.empty()) return found;
    if (!label.starts_with(' ') || !label.substr(1).starts_with(generator_word)) return std::nullopt;
    label.remove_prefix(1 + generator_word.size());
    found.generator = take_cores(label);
    return found.generator.empty() || !label.empty() ? std::nullopt : std::optional{found};
}

}  // namespace loopbench::bench
