// Each block contains every contender, and the trials that a ratio compares ran on one machine. Therefore the
// ratios of a merged run are valid although its blocks come from different machines. samples.hpp handles the
// differences between machines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/experiment/record.hpp"

namespace loopbench::bench {

struct shard_journal {
    std::string name;
    std::string text;
    session_record record;
};

/// Reads the journal of a shard. Throws usage_error if the folder contains no such journal, and
/// reports::format_error if the journal is invalid.
shard_journal read_shard(const std::filesystem::path& folder);

std::vector<std::uint64_t> missing_from(std::span<const merged_shard> merged);

/// Returns a text such as "shard 2 of 4 is" or "shards 2, 3 of 4 are".
std::string shards_text(std::span<const std::uint64_t> numbers, std::uint64_t of);

enum class missing_shards_are : bool { refused, allowed };

/// Returns a journal with every trial of the shards, in the order of the plan's blocks. The results of the
/// passes are those of the first shard. Throws usage_error if the shards differ in plan, version or builds
/// (compared by file content), or if a shard occurs twice. Also throws usage_error if a shard is missing or
/// unfinished, unless `missing` is `allowed`.
std::string merged_journal(std::vector<shard_journal> shards, const std::vector<std::string>& command,
                           missing_shards_are missing);

}  // namespace loopbench::bench
