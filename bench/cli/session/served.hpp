// Servers that are no benchmark programs, measured by their clients: loopbench-client (bench/client) starts
// one and is a contender in its place.
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
    std::optional<std::string> client;   // "echo", or a command of the shell's
    std::optional<std::uint16_t> port;   // that the server has by itself
    std::vector<std::string> arguments;  // of the server
};

/// What `--help` says of them.
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

/// Throws usage_error where there is a port or an argument and no client, or an empty one.
void refuse_served_without_client(const served_options& options);

/// Throws usage_error where the client is a command that does not exist.
void refuse_unknown_client(const served_options& options, int stop_fd);

/// Makes the contender one that measures `server`. Throws usage_error when nothing says where that listens.
void become_client_of(contender& who, const std::filesystem::path& server, const served_options& options);

/// Servers that `echo` asks, and that listen where they are told, are alive together and take turns; all
/// others run one after the other. Throws usage_error where --way asks for what cannot be.
void choose_ways_of_servers(run_plan& plan, const served_options& options);

}  // namespace loopbench::bench
