// Recognises programs that were compiled with asio_compat. Their sources are unchanged, so asio_compat itself
// records the loops of their contexts (dropin.hpp, context_record.hpp).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace loopbench::bench {

/// Returns true if the file is an ELF program, or a library, that was compiled with the header
/// loopbench/asio/dropin.hpp. Returns false if the file cannot be read, or if it has a set-user-ID or
/// set-group-ID bit: such a program records no loop.
bool has_dropin_note(const std::filesystem::path& program);

/// The variable that names the file in which the processes of a trial record the loops of their io_contexts.
inline constexpr const char* asio_contexts_variable = "LOOPBENCH_ASIO_CONTEXTS";

/// The loops of the io_contexts that the processes of a trial created and recorded.
struct asio_contexts {
    std::vector<std::string> loops;  // "epoll" or "io_uring", each once, in the order of their creation
    std::optional<std::string> failure = {};  // the first exception of a loop that could not be created
};

/// Reads the record of a trial. Returns an empty record if the file does not exist or cannot be read. Ignores
/// invalid lines.
asio_contexts read_asio_contexts(const std::filesystem::path& file);

}  // namespace loopbench::bench
