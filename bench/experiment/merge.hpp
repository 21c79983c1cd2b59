// One record of the shards of a run. The block is the unit and holds every contender, so that it makes no
// difference which machine did which; what differs from machine to machine is for whoever reads the record
// (samples.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bench/experiment/record.hpp"

namespace loopbench::bench {

/// A shard's journal as it was read.
struct shard_journal {
    std::string name;  // of its folder, for messages
    std::string text;
    session_record record;
};

/// Throws usage_error when the folder has no journal, or one that is no shard's, and reports::format_error
/// for what is none.
shard_journal read_shard(const std::filesystem::path& folder);

/// The numbers of the plan's shards that are not among these.
std::vector<std::uint64_t> missing_from(std::span<const merged_shard> merged);

/// "shard 2 of 4 is", "shards 2, 3 of 4 are".
std::string shards_text(std::span<const std::uint64_t> numbers, std::uint64_t of);

enum class missing_shards_are : bool { refused, allowed };

/// The text of the journal that has every trial of the shards, in the order of the plan's blocks, and of each
/// shard where it was made. Its passes are those of the first shard. Throws usage_error for shards that are
/// not of one plan, of the same builds (by what is in their files) and of one version, saying what differs
/// and how; for one that is there twice; and, unless that is allowed, for missing and unfinished ones.
std::string merged_journal(std::vector<shard_journal> shards, const std::vector<std::string>& command,
                           missing_shards_are missing);

}  // namespace loopbench::bench
