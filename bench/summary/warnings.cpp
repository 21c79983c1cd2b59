// The texts of the warnings.
#include "bench/summary/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/experiment/merge.hpp"
#include "reports/columns.hpp"

namespace loopbench::bench {

reports::warning was_interrupted(std::uint64_t blocks_finished, std::uint64_t blocks_planned) {
    return {"interrupted",
            fmt::format("the run was interrupted after {} of {} blocks", blocks_finished, blocks_planned),
            "finish it with `loopbench run --resume DIR`, its folder, before another run writes there"};
}

reports::warning budget_spent(std::uint64_t blocks_finished, std::uint64_t blocks_planned) {
    return {"budget",
            fmt::format("the time budget was enough for {} of {} blocks", blocks_finished, blocks_planned),
            "choose fewer contenders or workloads, or a longer --budget"};
}

reports::warning too_few_trials() {
    return {"few_trials", "a 95 % interval of a median needs six trials; results with fewer have none",
            "run at least six blocks (--blocks 6)"};
}

reports::warning too_few_for_verdicts(std::uint64_t enough) {
    return {"few_blocks", "too few blocks to judge all",
            fmt::format("run at least {0} blocks (--blocks {0}), or compare fewer cells", enough)};
}

reports::warning too_few_hosts(std::uint64_t enough) {
    return {"few_hosts", "too few hosts to judge all",
            fmt::format("have shards on at least {} machines, or compare fewer cells", enough)};
}

reports::warning client_elsewhere(const std::string& command, const std::string& path) {
    return {"client_elsewhere",
            fmt::format("the client of serve/open_loop was on another machine, by `{}`: {}", command, path),
            "latencies have that path in them; compare them with none of another path"};
}

reports::warning is_a_shard(const shard& part, std::uint64_t blocks_of_plan) {
    return {"shard",
            fmt::format("this is shard {} of {}: {} of {} blocks", part.number, part.of,
                        part.count(blocks_of_plan), blocks_of_plan),
            "merge the folders of all shards (`loopbench merge DIR... -o DIR`), and read that report"};
}

reports::warning missing_shards(const std::vector<merged_shard>& merged, std::uint64_t blocks_of_plan) {
    const auto of = merged.front().part.of;
    std::vector<std::string> parts;
    if (const auto missing = missing_from(merged); !missing.empty())
        parts.push_back(fmt::format("{} missing", shards_text(missing, of)));
    std::vector<std::uint64_t> cut;
    std::uint64_t finished = 0;
    for (const auto& one : merged) {
        finished += one.blocks_finished;
        if (!one.finished) cut.push_back(one.part.number);
    }
    if (!cut.empty()) parts.push_back(fmt::format("{} unfinished", shards_text(cut, of)));
    return {std::string{reports::missing_shards_code},
            fmt::format("{}: there are {} of {} blocks", fmt::join(parts, ", "), finished, blocks_of_plan),
            "run what is missing (`loopbench run --shard`, or `run --resume`), and merge again"};
}

reports::warning hosts_differ(const std::vector<std::string>& cells) {
    constexpr std::size_t most = 5;
    const auto shown = std::min(cells.size(), most);
    return {
        "hosts_differ",
        fmt::format("the ratio is not the same on all hosts: {}{}",
                    fmt::join(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(shown), "; "),
                    cells.size() > most ? fmt::format("; and {} more", cells.size() - most) : ""),
        "intervals cover that; for what holds on one kind of machine, merge the shards of that kind alone "
        "(--partial)"};
}

reports::warning one_layout() {
    return {"one_layout",
            "each build is there once: what differs by some per cent may be where the same code came to lie",
            "link each several times with its functions in another order, and compare the two folders "
            "(`loopbench compare --help`)"};
}

reports::warning few_layouts(std::uint64_t layouts, std::uint64_t blocks) {
    return {
        "few_layouts",
        fmt::format("{} blocks have no more than {} layouts of each build: blocks with the same two count "
                    "as one in every ratio, verdict and interval",
                    blocks, layouts),
        "link as many layouts as there are blocks"};
}

reports::warning few_layouts_for_precision(std::uint64_t layouts, double precision_pct) {
    return {"few_layouts_for_precision",
            fmt::format("a precision of {:g} % was looked for in {} blocks at the most, as many as there are "
                        "layouts of each build",
                        precision_pct, layouts),
            "link more layouts where an interval is too wide"};
}

reports::warning unfit(const std::string& reason) {
    return {"unfit", fmt::format("this session is not fit to judge anything: {}", reason),
            "end what else runs on this machine (`loopbench doctor` says what to look at) and run it again"};
}

reports::warning drift(const std::vector<std::string>& workloads) {
    return {"drift",
            fmt::format("the baseline's second half differs from its first: {}", fmt::join(workloads, ", ")),
            "ratios stand, as they are taken within blocks; do not quote absolute times of this run"};
}

reports::warning disturbed_trials(const reports::disturbances& found) {
    return {
        "disturbed",
        fmt::format("{} trials among the results were disturbed by something else on this machine ({} of {} "
                    "were, and {} repeats did not help all of them)",
                    found.kept, found.disturbed, found.trials, found.repeated),
        "end what else runs on this machine"};
}

reports::warning faster_than_floor(std::string_view metric, const std::vector<std::string>& cells,
                                   std::string_view why) {
    return {"faster_than_floor",
            fmt::format("{} below the best floor's: {}; {}", metric, fmt::join(cells, "; "),
                        why.empty() ? "no reason is known" : why),
            why.empty() ? "see whether the floor does more than it must there, or the contender less"
                        : "ignore the floor"};
}

reports::warning waited_together(const std::vector<std::string>& workloads) {
    return {"waited_together",
            fmt::format(
                "what ran together did not keep the core equally busy, and CPU time does not show what is "
                "waited for: {}",
                fmt::join(workloads, "; ")),
            "measure them with --way apart, which judges the time that they take"};
}

reports::warning baseline_not_measured(const std::string& baseline) {
    return {"no_baseline",
            fmt::format("there are no ratios: the baseline {} is not among the contenders", baseline),
            fmt::format("add --contender {}, or name one of the contenders with --baseline", baseline)};
}

reports::warning baseline_without_numbers(const std::string& baseline,
                                          const std::vector<std::string>& workloads) {
    return {"baseline_without_numbers",
            fmt::format("there are no ratios for {}: the baseline {} has no numbers there",
                        fmt::join(workloads, ", "), baseline),
            "see the baseline's reason in the table, or name another --baseline"};
}

}  // namespace loopbench::bench
