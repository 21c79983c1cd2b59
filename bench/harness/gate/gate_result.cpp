#include "bench/harness/gate/gate_result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "reports/base/formatted_error.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

struct described_kind {
    gate_result_kind kind;
    std::string_view word;
};

constexpr std::array severities{described_kind{gate_result_kind::failed, "failed"},
                                described_kind{gate_result_kind::regression, "worse"},
                                described_kind{gate_result_kind::unreliable, "unreliable"},
                                described_kind{gate_result_kind::suspect, "unconfirmed"},
                                described_kind{gate_result_kind::unclear, "undecided"},
                                described_kind{gate_result_kind::looser, "better"}};

std::size_t severity_of(const gate_result& found) {
    const auto at = std::ranges::find(severities, found.kind, &described_kind::kind);
    return static_cast<std::size_t>(at - severities.begin());
}

std::string subject_of(const gate_result& found, bool names_contenders) {
    std::string text;
    if (found.metric != "time") text = found.metric + (names_contenders ? " of " : " on ");
    if (names_contenders) text += reports::shown(found.contender) + " on ";
    return text + reports::shown(found.workload);
}

/// Leaves a repeated verdict out of the sentence: "SLOWER: BM_sort by 2.2 %" instead of "SLOWER: BM_sort:
/// slower by 2.2 %".
std::string sentence_of(const gate_result& found, std::string_view verdict, bool names_contenders) {
    const auto ended = [](std::string text) { return text.ends_with('.') ? text : text + "."; };
    if (found.workload.empty()) return ended(found.message);
    auto repeated = std::string{verdict} + " ";
    std::ranges::transform(repeated, repeated.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto subject = subject_of(found, names_contenders);
    const auto said = found.brief.empty() ? found.message : found.brief;
    if (said.starts_with(repeated)) return ended(subject + " " + said.substr(repeated.size()));
    return ended(fmt::format("{}: {}", subject, said));
}

std::string count_of(std::span<const gate_result* const> rest) {
    std::vector<std::string> parts;
    for (const auto& [kind, word] : severities)
        if (const auto count = std::ranges::count(rest, kind, &gate_result::kind); count > 0)
            parts.push_back(fmt::format("{} {}", count, word));
    if (parts.size() == 1)
        return fmt::format("{} more {}.", rest.size(), parts[0].substr(parts[0].find(' ') + 1));
    return fmt::format("{} more: {}.", rest.size(), fmt::join(parts, ", "));
}

std::string of_pass(std::span<const gate_result> results) {
    const auto is_time = [](const gate_result& found) { return found.metric == "time"; };
    const auto* const worse = std::ranges::all_of(results, is_time) ? "slower" : "worse";
    return results.size() == 1 ? fmt::format("1 result, not {}.", worse)
                               : fmt::format("{} results, none of them {}.", results.size(), worse);
}

}  // namespace

gate_result about_session(gate_result_kind kind, std::string message) {
    return {{}, {}, "time", kind, {}, {}, std::move(message)};
}

gate_outcome outcome_of(std::span<const gate_result> results) {
    using enum gate_result_kind;
    const auto any = [&](gate_result_kind kind) {
        return std::ranges::find(results, kind, &gate_result::kind) != results.end();
    };
    if (any(failed)) return gate_outcome::failed;
    if (any(regression)) return gate_outcome::regression;
    if (any(unreliable)) return gate_outcome::unreliable;
    if (results.empty() || any(unclear) || any(suspect)) return gate_outcome::inconclusive;
    return gate_outcome::pass;
}

std::string_view verdict_word(gate_outcome outcome) {
    constexpr std::array<std::string_view, 5> words{"PASS", "FAILED", "SLOWER", "UNRELIABLE", "UNDECIDED"};
    return words[static_cast<std::size_t>(outcome)];
}

std::vector<const gate_result*> most_severe_first(std::span<const gate_result> results) {
    std::vector<const gate_result*> all;
    for (const auto& found : results)
        if (found.kind != gate_result_kind::holds) all.push_back(&found);
    const auto order = [](const gate_result* found) {
        return std::tuple{severity_of(*found), found->workload.empty(), -found->times_as_bad, found};
    };
    std::ranges::sort(all, {}, order);
    return all;
}

std::string verdict_line(std::span<const gate_result> results) {
    constexpr std::size_t most = 5;
    const auto outcome = outcome_of(results);
    const auto word = verdict_word(outcome);
    const auto all = most_severe_first(results);
    std::set<std::string_view> contenders;
    for (const auto& found : results)
        if (!found.workload.empty()) contenders.insert(found.contender);
    std::vector<std::string> sentences;
    const auto add = [&](const gate_result& found) {
        auto text = sentence_of(found, word, contenders.size() > 1);
        const bool keeps_case = !found.workload.empty() || sentences.empty();
        if (!keeps_case) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
        sentences.push_back(std::move(text));
    };
    if (results.empty()) sentences.emplace_back("nothing was compared.");
    if (outcome == gate_outcome::pass) sentences.push_back(of_pass(results));
    for (const auto* const found : all)
        if (sentences.size() < most) add(*found);
    const auto told = std::min(all.size(), most - (outcome == gate_outcome::pass ? 1 : 0));
    if (told < all.size()) sentences.push_back(count_of(std::span{all}.subspan(told)));
    return fmt::format("{}: {}", word, fmt::join(sentences, " "));
}

}  // namespace loopbench::bench
