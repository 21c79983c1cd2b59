#include "bench/harness/cli/session/served.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/harness/cli/session/session.hpp"
#include "bench/harness/trial/process/child_process.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

constexpr std::string_view echo = "echo";

bool takes_port(const served_options& options) {
    const auto names_it = [](const std::string& word) { return word.find("{port}") != std::string::npos; };
    return std::ranges::any_of(options.arguments, names_it);
}

}  // namespace

void add_served_options(CLI::App& command, served_options& options) {
    command
        .add_option("ARGUMENTS", options.arguments,
                    "arguments for both servers, written after `--`; {port} in an argument is replaced by "
                    "the port to listen on")
        ->type_name("");
    command
        .add_option(
            "--client", options.client,
            "measure BASE and NEW as servers, with this client: the built-in echo, or a shell command")
        ->type_name("echo|COMMAND");
    command
        .add_option("--port", options.port,
                    "the port on which the servers always listen, if their arguments do not contain {port}")
        ->type_name("PORT")
        ->check(CLI::Range(1, 65'535).description(""));
}

void refuse_served_without_client(const served_options& options) {
    if (options.client && options.client->empty())
        throw usage_error{
            "--client is empty; use --client echo, or a command that sends requests to the servers"};
    if (options.client) return;
    if (options.port)
        throw usage_error{"--port is only for servers; add --client echo, or --client with a command"};
    if (!options.arguments.empty())
        throw usage_error{
            "unexpected argument {}: only servers take arguments after BASE and NEW; to choose a benchmark, "
            "use "
            "--workload {}; to pass it to the programs, use --args={}; for servers, add --client",
            options.arguments.front(), options.arguments.front(), options.arguments.front()};
}

void refuse_unknown_client(const served_options& options, int stop_fd) {
    if (!options.client || *options.client == echo) return;
    // Asks the shell for the command only if its first word has no special characters, because the shell
    // might replace such characters when it runs the command.
    const auto word = options.client->substr(0, options.client->find(' '));
    const auto is_plain = [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
               std::string_view{"._/+-"}.find(letter) != std::string_view::npos;
    };
    if (word.empty() || !std::ranges::all_of(word, is_plain)) return;
    const auto asked = run_child({.command = {"/bin/sh", "-c", "command -v -- \"$1\"", "sh", word},
                                  .environment = {},
                                  .cpu = {},
                                  .stop_fd = stop_fd});
    if (asked.end == child_end::exited && asked.code != 0)
        throw usage_error{
            "--client: the shell finds no command {}; use another command, or the built-in client `echo`",
            word};
}

void become_client_of(contender& who, const std::filesystem::path& server, const served_options& options) {
    if (options.port.has_value() == takes_port(options))
        throw usage_error{
            "use either {port} or --port: write {port} in the servers' arguments (`-- {port}`) if they can "
            "listen on any free port, or use --port PORT if they always listen on PORT"};
    std::vector<std::string> command{server.native()};
    command.insert(command.end(), options.arguments.begin(), options.arguments.end());
    for (const auto& word : command)
        if (reports::valid_utf8(word) != word)
            throw usage_error{
                "the argument {} is not valid UTF-8, which the journal needs; use another argument, or "
                "rename the file",
                word};
    const nlohmann::ordered_json told{
        {"command", command}, {"client", *options.client}, {"port", options.port.value_or(0)}};
    who.path = installed_program("loopbench-client",
                                 "it measures servers, and belongs to the contenders: build it with `make "
                                 "bench`, or install the Debian package loopbench-contenders");
    who.environment = {{"LOOPBENCH_SERVER", told.dump()}};
    remember_asio_use(who, command.front());
    remember_files(who);
}

void choose_pairings_of_servers(run_plan& plan, const served_options& options) {
    if (plan.asked_pairing.value_or(reports::pairing::sequential) != reports::pairing::sequential &&
        options.port)
        throw usage_error{"servers with a fixed --port cannot run at the same time; leave --pairing out"};
    if (*options.client != echo || options.port) return;
    std::map<std::string, reports::pairing> pairings;
    for (const auto& workload : plan.workloads) pairings.emplace(workload, reports::pairing::interleaved);
    choose_pairings(plan, pairings);
}

}  // namespace loopbench::bench
