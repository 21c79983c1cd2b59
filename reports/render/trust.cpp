#include "reports/render/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reports/render/columns.hpp"

namespace loopbench::reports {

namespace {

/// The codes of warnings about a run that is too short, the most informative one first.
constexpr std::array short_run_codes{"interrupted", "budget", "few_trials", "few_blocks", "few_hosts"};
constexpr std::array verdict_codes{"few_trials", "few_blocks", "few_hosts"};

const warning* find_warning(const report& content, std::string_view code) {
    const auto found = std::ranges::find(content.warnings, code, &warning::code);
    return found == content.warnings.end() ? nullptr : &*found;
}

/// Returns the reason why the run was too short, or nothing if it was long enough. A run whose time budget
/// was used up can be long enough, because the verdicts take the number of finished blocks into account.
std::optional<std::string> why_too_short(const report& content) {
    const auto has = [&](const char* code) { return find_warning(content, code) != nullptr; };
    if (content.complete && std::ranges::none_of(verdict_codes, has)) return std::nullopt;
    if (!content.complete && !has("interrupted")) {
        auto why = why_incomplete(content);
        if (why.ends_with('.')) why.pop_back();
        return why;
    }
    const auto* const found = find_warning(content, *std::ranges::find_if(short_run_codes, has));
    return fmt::format("{}; {}", found->message, found->remedy);
}

std::optional<std::string> why_noise_is_unknown(const report& content) {
    if (content.baseline.empty()) return "the report has no baseline to compare with";
    if (!content.aa)
        return fmt::format("the noise is unknown, because {} was not measured twice", content.baseline);
    if (content.aa->found != reliability::unknown) return std::nullopt;
    return content.aa->reason.value_or("the A/A comparison has too few blocks");
}

}  // namespace

trust trust_in(const report& content) {
    if (auto why = why_unreliable(content)) return {trust_word::unreliable, {std::move(*why)}};
    trust found;
    if (auto why = why_too_short(content)) found.reasons.push_back(std::move(*why));
    // In a short run, the noise is usually unknown, too, and more blocks are the remedy for both. Therefore
    // the second reason is left out, unless the A/A copy was not measured at all.
    if (auto why = why_noise_is_unknown(content); why && (found.reasons.empty() || !content.aa))
        found.reasons.push_back(std::move(*why));
    if (!found.reasons.empty()) found.word = trust_word::preliminary;
    return found;
}

bool is_reason_for_trust(std::string_view warning_code) {
    return warning_code == "unreliable" ||
           std::ranges::find(short_run_codes, warning_code) != short_run_codes.end();
}

std::size_t blocks_in(const report& content) {
    std::size_t most = 0;
    for (const auto& item : content.results)
        if (!item.deterministic) most = std::max(most, item.samples.size());
    return most;
}

}  // namespace loopbench::reports
