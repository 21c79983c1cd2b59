// Servers, which are not benchmark programs, are measured by their clients: loopbench-client (bench/client)
// starts the server and acts as the contender in its place.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/experiment/plan.hpp"

namespace loopbench::bench {

struct served_options {
    std::optional<std::string> client;   // "echo", or a shell command
    std::optional<std::uint16_t> port;   // port that the server always uses, if any
    std::vector<std::string> arguments;  // of the server
};

/// Help text about servers.
inline constexpr const char* how_servers_are_measured =
    "\n\n"
    "With --client the two are servers, of whatever protocol. Each is started with the ARGUMENTS and\n"
    "answers the client, on one core with it; its own CPU time is `cpu`. The client `echo` makes round\n"
    "trips of 64 bytes on 1 and on 100 connections, and compares what comes back. Any other is a\n"
    "command of the shell's that does a fixed amount of work, of which one run is an operation:\n"
    "\n"
    "  loopbench compare --client echo ./old ./new -- {port}\n"
    "  loopbench compare --client './ask {port}' ./old ./new -- {port}";

/// Adds --client, --port and the ARGUMENTS.
void add_served_options(CLI::App& command, served_options& options);

/// Throws usage_error if there is a port or an argument without a client, or an empty client.
void refuse_served_without_client(const served_options& options);

/// Throws usage_error if the client is a command that does not exist.
void refuse_unknown_client(const served_options& options, int stop_fd);

/// Makes the contender one that measures `server`. Throws usage_error unless exactly one of the arguments and
/// --port says where it listens.
void become_client_of(contender& who, const std::filesystem::path& server, const served_options& options);

/// Chooses the pairing of servers. Interleaves them if the client is `echo` and the suite chooses their ports
/// ({port}); otherwise they run sequentially. Throws usage_error if --pairing requests a pairing that is
/// impossible.
void choose_pairings_of_servers(run_plan& plan, const served_options& options);

}  // namespace loopbench::bench
