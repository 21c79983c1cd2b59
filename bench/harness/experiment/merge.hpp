// Merges the shards of a run into one record. A block is the unit and contains every contender, so it does
// not matter which machine ran it; readers of the record handle differences between machines (samples.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/experiment/record.hpp"

namespace loopbench::bench {

/// A shard's journal, as it was read.
struct shard_journal {
    std::string name;  // its folder's name, for messages
    std::string text;
    session_record record;
};

/// Reads a shard. Throws usage_error if the folder has no journal, or one that is not a shard's, and
/// reports::format_error for a file of another kind.
shard_journal read_shard(const std::filesystem::path& folder);

/// Returns the numbers of the plan's shards that are not among these.
std::vector<std::uint64_t> missing_from(std::span<const merged_shard> merged);

/// Returns "shard 2 of 4 is", or "shards 2, 3 of 4 are".
std::string shards_text(std::span<const std::uint64_t> numbers, std::uint64_t of);

enum class missing_shards_are : bool { refused, allowed };

/// Returns the text of the journal with every trial of the shards, in the order of the plan's blocks, and
/// with the machine of each shard. Its passes are those of the first shard. Throws usage_error if the shards
/// differ in plan, builds (by the content of their files) or version, with the difference; if a shard occurs
/// twice; and, unless that is allowed, if shards are missing or unfinished.
std::string merged_journal(std::vector<shard_journal> shards, const std::vector<std::string>& command,
                           missing_shards_are missing);

}  // namespace loopbench::bench
