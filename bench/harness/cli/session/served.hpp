// A server is not a benchmark program. Therefore the contender is the program loopbench-client
// (bench/suite/client), which starts and measures the server.
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
    std::optional<std::string> client;  // "echo" or a shell command
    std::optional<std::uint16_t> port;  // the server's fixed port; not set if {port} is in `arguments`
    std::vector<std::string> arguments;
};

inline constexpr const char* how_servers_are_measured =
    "\n\n"
    "Servers: each server is started with ARGUMENTS and answers the client on the same core; `cpu` is the\n"
    "server's own CPU time. The client `echo` sends 64 bytes on 1 and on 100 connections, and checks the\n"
    "replies. Any other client is a command that does a fixed amount of work; one run of it is\n"
    "one operation.";

void add_served_options(CLI::App& command, served_options& options);

void refuse_served_without_client(const served_options& options);

void refuse_unknown_client(const served_options& options, int stop_fd);

/// Makes the contender `who` run loopbench-client. Throws usage_error if the options contain neither a --port
/// nor a {port} in the arguments, or both. Also throws usage_error if the server's path or an argument is not
/// valid UTF-8.
void become_client_of(contender& who, const std::filesystem::path& server, const served_options& options);

/// Chooses the interleaved pairing if the client is `echo` and the arguments of the servers contain {port};
/// --pairing takes precedence. Throws usage_error if the chosen pairing would run servers with a fixed port
/// at the same time.
void choose_pairings_of_servers(run_plan& plan, const served_options& options);

}  // namespace loopbench::bench
