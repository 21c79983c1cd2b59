// loopbench bisect: finds the commit that made a benchmark program or a command slower.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <random>

#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/commands/bisect_run.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/cli/session/program_arguments.hpp"
#include "bench/harness/cli/session/session_options.hpp"
#include "bench/harness/cli/shell_word.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/trial/usage_error.hpp"
#include "reports/base/atomic_file.hpp"
#include "reports/model/json.hpp"
#include "reports/model/metrics.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

struct bisect_options {
    std::string good, bad;
    std::vector<std::string> build;
    std::optional<std::uint64_t> seed;
    std::string output = "loopbench-bisect", resume;
    bool as_json = false;
    bisect_request request;
};

constexpr const char* how_bisect_works =
    "How it works:\n"
    "Candidates are the commits after GOOD up to BAD on the first-parent line of BAD. A merge is one\n"
    "commit there. Each commit is built in a working tree of its own, in the output folder, which git\n"
    "ignores. Your own files stay as they are. The build command, the program and --run start in the\n"
    "commit's tree. One argument after `--` is a command for /bin/sh; several arguments are a program\n"
    "and its arguments.\n"
    "First, GOOD is compared with BAD, as `compare` does it. If BAD is slower, each step halves the\n"
    "candidates: it measures a commit together with GOOD and BAD, and adds blocks until the test shows\n"
    "which of the two the commit is nearer to. In the end, the commit is compared with the one before it.\n"
    "Error rate: the probability that a step decides wrongly by chance is at most 5 % for all steps\n"
    "together. Code placement adds to it, unless the build leaves a folder with layouts (docs/gate.md).\n"
    "Commits that do not build, or whose program fails, are skipped. If this leaves several candidates,\n"
    "bisect.json names all of them. Builds stay in the output folder for the next bisection with the\n"
    "same build command; delete the folder if something else, such as the compiler, has changed.\n"
    "Exit codes: 0: a slowdown above --threshold is ruled out; 3: the commit was found; 4: undecided, or\n"
    "several commits are possible; 5: unreliable; 1: a program, or the build of GOOD or BAD, failed;\n"
    "130: interrupted.";

/// Returns the build command for /bin/sh. Several words are a program and its arguments.
std::string build_command(const std::vector<std::string>& words) {
    if (words.size() == 1) return words.front();
    std::string command;
    for (const auto& word : words) command += (command.empty() ? "" : " ") + shell_word(word);
    return command;
}

void require_valid_text(const bisect_request& request) {
    for (const auto* text :
         {&request.folder, &request.build, &request.program, &request.arguments, &request.run})
        if (reports::valid_utf8(*text) != *text)
            throw usage_error{"{} is not valid UTF-8, which the file of steps needs; use another spelling",
                              reports::valid_utf8(*text)};
}

void check_program(const bisect_request& request) {
    if (request.program.empty() == request.run.empty())
        throw usage_error{
            "use either --program PATH, for the benchmark program that the build leaves, or --run COMMAND"};
    const fs::path path{request.program};
    if (path.is_absolute() || path.lexically_normal().native().starts_with(".."))
        throw usage_error{
            "--program {}: the path must be relative to the commit's tree, because each commit has its own; "
            "for example build/bench",
            request.program};
    if (!request.run.empty() &&
        request.pairing.value_or(reports::pairing::sequential) != reports::pairing::sequential)
        throw usage_error{"commands run one after the other; leave --pairing out"};
    if (!request.run.empty() && !request.workloads.empty())
        throw usage_error{"--workload is for benchmark programs; leave it out with --run"};
    if (!request.run.empty() && !request.arguments.empty())
        throw usage_error{"--args is for benchmark programs; write the arguments into --run"};
    static_cast<void>(words_in(request.arguments));
}

bisect_request new_request(const bisect_options& options, int stop_fd) {
    if (options.good.empty() || options.bad.empty())
        throw usage_error{
            "GOOD or BAD is missing; use `loopbench bisect GOOD BAD --program PATH -- BUILD-COMMAND`, or "
            "--resume DIR"};
    auto request = options.request;
    request.build = build_command(options.build);
    request.folder = fs::current_path().native();
    check_program(request);
    require_valid_text(request);
    if (reports::find_metric(request.metric) == nullptr)
        throw usage_error{"--metric {}: the metric is unknown; `loopbench list` shows all metrics",
                          request.metric};
    const repository here{request.folder, stop_fd};
    request.good = here.commit_of(options.good, "GOOD");
    request.commits = here.line(request.good, here.commit_of(options.bad, "BAD"));
    request.seed = options.seed ? *options.seed : std::random_device{}();
    return request;
}

int bisect(const bisect_options& options, const invocation& by) {
    const interrupt stop;
    const bool resumes = !options.resume.empty();
    const auto folder = fs::absolute(resumes ? options.resume : options.output);
    steps_record steps;
    if (!resumes) {
        steps.request = new_request(options, stop.fd());
        reports::prepare_output_folder(folder);
    }
    steps_file file = resumes ? steps_file{folder, steps} : steps_file{folder, std::as_const(steps.request)};
    try {
        return bisect_run{steps, file, {folder, resumes, options.as_json, by, stop}}.run();
    } catch (const interrupted&) {
        tell("loopbench: interrupted; continue with `loopbench bisect --resume {}`\n",
             shell_word(folder.native()));
        throw;
    }
}

void add_measured_options(CLI::App& command, bisect_options& options) {
    auto& request = options.request;
    takes_path(command
                   .add_option("--program", request.program,
                               "the Google Benchmark program that the build leaves, or the folder with its "
                               "layouts; relative to the commit's tree")
                   ->type_name("PATH"));
    command
        .add_option("--args", request.arguments,
                    "arguments for the program, for example --args='--input \"my file\"'")
        ->type_name("ARGS");
    command
        .add_option(
            "--run", request.run,
            "measure this shell command instead, in the commit's tree: wall time, or another --metric")
        ->type_name("COMMAND");
    add_repeatable(
        command, "--workload", request.workloads, "GLOB",
        "only these benchmarks; the one that is most significantly slower is bisected; may be repeated");
    command.add_option("--metric", request.metric, "the metric that became worse (time)")->type_name("NAME");
    put_under(command, heading::what);
}

void add_length_options(CLI::App& command, bisect_options& options) {
    auto& request = options.request;
    command
        .add_option(
            "--blocks", request.blocks,
            fmt::format("blocks of the first and of the last comparison ({}); a step has at most five "
                        "times as many, or 100",
                        request.blocks))
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{6}, blocks_max / 5).description(""));
    takes_duration(
        command.add_option("--min-time", request.min_time_s, "minimum measured time of a trial (100ms)"));
    takes_duration(command.add_option("--trial-limit", request.trial_limit_s,
                                      "time limit of a trial; a longer trial fails (60s)"));
    put_under(command, heading::how_long);
    const auto names = reports::names_of(reports::pairing{});
    const auto take_pairing = [&request](const std::string& name) {
        request.pairing = reports::named<reports::pairing>(name);
    };
    takes_one_of(command.add_option_function<std::string>(
                     "--pairing", take_pairing, "how the trials of a block are arranged (as `compare` does)"),
                 {names.begin(), names.end()});
    command.add_option("--seed", options.seed, "seed of the random order of trials (random)")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{0}, largest_seed).description(""));
    put_under(command, heading::trials);
    takes_percent(
        command.add_option("--threshold", request.threshold_pct,
                           fmt::format("ignore slowdowns below PCT ({:g}%)", request.threshold_pct)),
        0, 50);
    put_under(command, heading::judging);
}

void add_output_options(CLI::App& command, bisect_options& options) {
    takes_path(
        command
            .add_option("-o,--output", options.output,
                        fmt::format("folder for the trees, the trials and bisect.json ({})", options.output))
            ->type_name("DIR"));
    const auto* as_json = command.add_flag("--json", options.as_json, "print bisect.json instead of text");
    put_under(command, heading::output);
    auto* resume =
        command
            .add_option("--resume", options.resume,
                        "continue the bisection in DIR that was interrupted or killed; no other option "
                        "except --json is allowed")
            ->type_name("DIR");
    resume->group(heading::what);
    takes_path(resume);
    for (auto* other : command.get_options())
        if (other != resume && other != as_json && other != command.get_help_ptr()) resume->excludes(other);
}

const std::initializer_list<example> bisect_examples{
    {"loopbench bisect v1.2 HEAD --program build/bench -- 'cmake -B build && cmake --build build'",
     "finds the commit after v1.2 that made a benchmark slower"},
    {"loopbench bisect v1.2 HEAD --run './sort words' -- make sort",
     "finds the commit that made a command slower"},
    {"loopbench bisect v1.2 HEAD --run './sort words' --metric rss_peak -- make sort",
     "finds the commit that made it need more memory"},
    {"loopbench bisect --resume loopbench-bisect", "continues a bisection that was interrupted or killed"}};

}  // namespace

void add_bisect_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<bisect_options>();
    auto* command =
        app.add_subcommand("bisect", "finds the commit that made a benchmark or a command slower");
    command->footer(examples_and(bisect_examples, how_bisect_works));
    command->add_option("GOOD", options->good,
                        "an older revision that is fast enough: a hash, a tag or a branch");
    command->add_option("BAD", options->bad, "a newer revision that is slower");
    command
        ->add_option("BUILD-COMMAND", options->build, "written after `--`: the command that builds a commit")
        ->type_name("");
    add_measured_options(*command, *options);
    add_length_options(*command, *options);
    add_output_options(*command, *options);
    command->callback(
        [options, &chosen] { chosen = [options](const invocation& by) { return bisect(*options, by); }; });
}

}  // namespace loopbench::bench
