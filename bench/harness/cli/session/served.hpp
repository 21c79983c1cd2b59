// Options for comparing servers. A server is not a benchmark program, so a client measures it:
// loopbench-client (bench/suite/client) starts the server and acts as the contender in its place.
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
    std::optional<std::string> client;   // "echo" or a shell command
    std::optional<std::uint16_t> port;   // the fixed port of the server, if it has one
    std::vector<std::string> arguments;  // the arguments of the server
};

/// The help text about servers.
inline constexpr const char* how_servers_are_measured =
    "\n\n"
    "Servers: each server is started with ARGUMENTS and answers the client on the same core; `cpu` is the\n"
    "server's own CPU time. The client `echo` sends 64 bytes on 1 and on 100 connections, and checks the\n"
    "replies. Any other client is a command that does a fixed amount of work: one run, one operation.";

/// Adds the options --client and --port, and the positional ARGUMENTS.
void add_served_options(CLI::App& command, served_options& options);

/// Throws usage_error if the client is empty, or if there is a port or an argument but no client.
void refuse_served_without_client(const served_options& options);

/// Throws usage_error if the client is a command that the shell does not find.
void refuse_unknown_client(const served_options& options, int stop_fd);

/// Makes `who` the client that measures `server`. Throws usage_error unless either {port} in the arguments or
/// --port determines the server's port.
void become_client_of(contender& who, const std::filesystem::path& server, const served_options& options);

/// Chooses the pairing of servers: interleaved if the client is `echo` and the suite chooses the ports
/// ({port}). Does not change the plan's pairings otherwise. Throws usage_error if --pairing requests a
/// pairing that is impossible with a fixed port.
void choose_pairings_of_servers(run_plan& plan, const served_options& options);

}  // namespace loopbench::bench
