// Servers, which are not benchmark programs, are measured by their clients: loopbench-client
// (bench/suite/client) starts the server and acts as the contender in its place.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/experiment/plan.hpp"

namespace loopbench::bench {

struct served_options {
    std::optional<std::string> client;   // "echo", or a shell command
    std::optional<std::uint16_t> port;   // port that the server always uses, if any
    std::vector<std::string> arguments;  // of the server
};

/// Help text about servers.
inline constexpr const char* how_servers_are_measured =
    "\n\n"
    "Servers: each server is started with ARGUMENTS and answers the client on the same core; `cpu` is the\n"
    "server's own CPU time. The client `echo` sends 64 bytes on 1 and on 100 connections, and checks the\n"
    "replies. Any other client is a command that does a fixed amount of work: one run, one operation.";

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
