// loopbench compare: compares two builds of a benchmark program or of a server, two commands, or two reports.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/cli/commands.hpp"
#include "bench/harness/cli/commands/gate_exit.hpp"
#include "bench/harness/cli/commands/report_file.hpp"
#include "bench/harness/cli/help.hpp"
#include "bench/harness/cli/option_types.hpp"
#include "bench/harness/cli/session/commands_compared.hpp"
#include "bench/harness/cli/session/contenders.hpp"
#include "bench/harness/cli/session/layouts.hpp"
#include "bench/harness/cli/session/program_arguments.hpp"
#include "bench/harness/cli/session/program_names.hpp"
#include "bench/harness/cli/session/progress.hpp"
#include "bench/harness/cli/session/served.hpp"
#include "bench/harness/cli/session/session.hpp"
#include "bench/harness/cli/session/session_options.hpp"
#include "bench/harness/cli/terminal.hpp"
#include "bench/harness/experiment/journal.hpp"
#include "bench/harness/experiment/record.hpp"
#include "bench/harness/experiment/selection.hpp"
#include "bench/harness/experiment/stopping.hpp"
#include "bench/harness/gate/compare_reports.hpp"
#include "bench/harness/gate/conditions.hpp"
#include "bench/harness/gate/judgement.hpp"
#include "bench/harness/gate/third_party_reports.hpp"
#include "bench/harness/summary/warnings.hpp"
#include "bench/harness/trial/gbench_names.hpp"
#include "bench/harness/trial/shared_limit.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"
#include "reports/render/html/html.hpp"
#include "reports/render/terminal/text_table.hpp"

namespace loopbench::bench {

namespace {

namespace fs = std::filesystem;

struct compare_options {
    std::string base, next;
    std::vector<std::string> workloads;
    std::string arguments;  // for both benchmark programs (--args), as the user wrote them
    std::vector<std::string> of_measuring;
    bool of_commands = false;  // BASE and NEW are commands
    cause_options causes;
    double tolerated_pct = 5;
    std::string format = "text";
    served_options served;
    session_options session;
};

constexpr const char* how_layouts_are_drawn =
    "\n\n"
    "Layouts: where the linker places unchanged code alters its speed by some per cent. To average that\n"
    "out, link each build once per block, each time with its functions in another order (compiled with\n"
    "-ffunction-sections; mold: --shuffle-sections=SEED, lld: --shuffle-sections=.text*=SEED), into a\n"
    "folder, under names of one length (01 to 20), and compare the two folders. Each block draws a layout\n"
    "of each build at random, so that intervals and verdicts cover the effect (docs/gate.md).";

constexpr const char* how_causes_are_found =
    "\n\n"
    "Causes: for each slower benchmark, further processes of both builds count system calls, allocations,\n"
    "context switches and, with a hardware counter, instructions. The counts that changed are below the\n"
    "verdict. The trials leave a tenth of --budget for this, at most 30 s; with --profile, a third of it,\n"
    "at most 4 minutes.";

enum class operand { report, executable, layouts };

constexpr std::string_view name_two =
    "compare two reports, two benchmark executables, or two folders with layouts";

/// Returns true if the first bytes are those of a report, a journal or another tool's output.
bool begins_like_a_report(std::string_view bytes) {
    bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
    return bytes.starts_with('{') || bytes.starts_with("window.BENCHMARK_DATA");
}

operand what_is(const std::string& path) {
    if (fs::is_directory(path)) {
        if (const auto* const format = format_of_tool_folder(path))
            throw usage_error{"{} is {}; {}", path, format->what, format->instead};
        return operand::layouts;
    }
    if (fs::is_fifo(path)) return operand::report;  // for example the pipe of the shell's <(command)
    if (!fs::is_regular_file(path)) throw usage_error{"{} is not a file; {}", path, name_two};
    const bool may_run = ::access(path.c_str(), X_OK) == 0;
    std::ifstream file{path};
    if (!file) {
        if (may_run) return operand::executable;
        throw usage_error{"{} cannot be read: {}; make the file and its folders readable", path,
                          std::strerror(errno)};
    }
    std::string bytes(4096, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    if (bytes.starts_with("\x7F"
                          "ELF") ||
        bytes.starts_with("#!"))
        return operand::executable;
    refuse_other_kinds(path, bytes);
    if (begins_like_a_report(bytes)) return operand::report;
    return may_run ? operand::executable : operand::report;  // a text can be a damaged report
}

constexpr std::string_view name_of(operand what) {
    constexpr std::array<std::string_view, 3> names{"a report", "an executable", "a folder"};
    return names[static_cast<std::size_t>(what)];
}

/// The parameters of the functions that list the benchmarks of a comparison.
struct listing_place {
    const compare_options& options;
    const run_plan& plan;
    const interrupt& stop;
    session_start started;

    /// Returns the time limit for the next listing. All listings share half of the budget, or one second if
    /// that is longer.
    [[nodiscard]] std::chrono::nanoseconds limit() const {
        return plan.budget ? std::min(plan.trial_limit, of_budget().left()) : plan.trial_limit;
    }
    [[nodiscard]] bool is_time_over() const { return plan.budget && of_budget().is_over(); }

private:
    [[nodiscard]] shared_limit of_budget() const {
        constexpr std::chrono::nanoseconds least = std::chrono::seconds{1};
        return shared_limit{started + std::max(*plan.budget / 2, least)};
    }
};

/// Returns the remedy for a program that cannot list its benchmarks.
std::string_view remedy_for(const contender& who, const listing_place& place) {
    if (place.is_time_over())
        return "if it has thousands of benchmarks, use a longer --budget, or choose some of them with "
               "--workload";
    if (place.options.served.client) return "`loopbench compare --help` explains the options for servers";
    const auto says = [&](std::string_view word) { return who.problem.find(word) != std::string::npos; };
    if (says("flag") && says("benchmark_list_tests"))
        return "call benchmark::Initialize() before other code that parses the arguments";
    return "use --args if the program needs arguments";
}

/// Returns true if the line is one word and begins like an identifier or a template argument list.
bool looks_like_a_name(std::string_view line) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !line.empty() && line.find_first_of(" \t") == std::string_view::npos &&
           (is_letter(line.front()) || line.front() == '_' || line.front() == '<');
}

/// Prints a note about lines that were not taken for benchmarks but look like some. Such a program is for
/// example a script that runs two programs and passes the filter only to one.
void report_other_text(const contender& who) {
    std::vector<std::string> names;
    for (const auto& line : who.other_text)
        if (looks_like_a_name(line)) names.push_back(reports::shown(line));
    if (names.empty()) return;
    const auto more = names.size() - 1;
    tell(
        "loopbench: note: {0} prints {1}{2} with every --benchmark_filter, so {1}{2} {3} not measured; if "
        "these are benchmarks, make the program pass on --benchmark_filter\n",
        who.path.native(), names.front(),
        more == 0 ? "" : fmt::format(" and {} more line{}", more, more == 1 ? "" : "s"),
        more == 0 ? "is" : "are");
}

/// Starts a build to list its benchmarks. Throws usage_error if the build is not a Google Benchmark program.
void list_build(contender& who, const listing_place& place) {
    list_workloads(who, place.plan.size, place.limit(), place.stop.fd(),
                   listing_filter(place.options.workloads));
    place.stop.throw_if_requested();
    if (!who.problem.empty() && place.options.of_commands)
        throw usage_error{"{}: {}; after `--`, write two commands that can run here", who.name, who.problem};
    if (!who.problem.empty())
        throw usage_error{"{} {}; expected a report or a Google Benchmark executable; {}", who.path.native(),
                          who.problem, remedy_for(who, place)};
    report_other_text(who);
}

/// Compares the benchmarks of the first layout with those of the last one: if the folder has layouts of an
/// older build, the last one is usually among them. A trial of another layout without the benchmark fails.
void refuse_other_last_layout(const contender& who, const listing_place& place) {
    auto last = who;
    last.path = who.layouts.back();
    const auto filter = listing_filter(place.options.workloads);
    std::optional<std::string> difference;
    for (const auto& chosen : {filter, std::string{}}) {
        if (place.is_time_over()) return;
        auto found = check_layout(who, last.path, place.plan.size, place.limit(), place.stop.fd(), chosen);
        place.stop.throw_if_requested();
        last.problem = found.failure.value_or("");
        if (found.failure)
            throw usage_error{"{} cannot list its benchmarks: {}; {}", last.path.native(), last.problem,
                              remedy_for(last, place)};
        difference = std::move(found.difference);
        if (!difference || filter.empty()) break;  // a filter can select nothing
    }
    if (difference)
        throw usage_error{
            "{} and {} have different benchmarks ({}), so they are not layouts of one program; empty the "
            "folder, and link all layouts again",
            who.path.native(), last.path.native(), *difference};
}

contender side(std::string name, const std::string& file, const listing_place& place) {
    const auto& options = place.options;
    contender who;
    who.name = std::move(name);
    if (options.of_commands) {
        become_command(who, file, need_shell(options.base, options.next));
        list_build(who, place);
        return who;
    }
    who.path = fs::absolute(file);
    if (options.served.client) {
        become_client_of(who, who.path, options.served);
        list_build(who, place);
        return who;
    }
    who.arguments = words_in(options.arguments);
    if (what_is(file) == operand::layouts) who.layouts = layouts_in(file);
    if (!who.layouts.empty()) who.path = who.layouts.front();
    remember_asio_use(who, who.path);
    remember_files(who);
    list_build(who, place);
    if (!who.layouts.empty()) refuse_other_last_layout(who, place);
    return who;
}

/// Returns the chosen benchmarks. If a pattern matches no listed benchmark, lists all benchmarks, because
/// `who.workloads` may have only those that the other patterns select. Then the error message can suggest
/// similar names. Throws usage_error if a pattern matches no benchmark.
std::vector<std::string> chosen_benchmarks(std::vector<contender>& sides, const listing_place& place) {
    const auto& patterns = place.options.workloads;
    const auto listed = workloads_of(sides);
    const auto is_listed = [&](const std::string& pattern) {
        return std::ranges::any_of(listed, [&](const std::string& name) { return matches(pattern, name); });
    };
    if (!std::ranges::all_of(patterns, is_listed)) {
        auto all = sides;
        for (contender& who : all) list_workloads(who, place.plan.size, place.limit(), place.stop.fd());
        place.stop.throw_if_requested();
        if (std::ranges::all_of(all, [](const contender& who) { return who.problem.empty(); }))
            sides = std::move(all);
    }
    const auto all = workloads_of(sides);
    const bool is_program = !place.options.of_commands && !place.options.served.client;
    return select(all, patterns, "benchmark",
                  is_program ? "--benchmark_list_tests=true of the program shows all names"
                             : fmt::format("the names are {}", fmt::join(all, ", ")));
}

void leave_out_unmatched(run_plan& plan) {
    std::vector<unmatched_benchmark> unmatched;
    const auto names_of = [](const contender& who) {
        return std::set<std::string_view>(who.workloads.begin(), who.workloads.end());
    };
    const auto base = names_of(plan.contenders[0]), next = names_of(plan.contenders[1]);
    std::erase_if(plan.workloads, [&](const std::string& name) {
        const bool in_base = base.contains(name);
        if (in_base && next.contains(name)) return false;
        unmatched.push_back({name, plan.contenders[in_base ? 0 : 1].name});
        return true;
    });
    if (!unmatched.empty()) plan.unmatched = std::move(unmatched);
}

/// Warns if there are too few layouts or blocks for any verdict, so that the user can stop the comparison
/// before the first trial.
void warn_of_too_few_pairs(const run_plan& plan) {
    const std::uint64_t layouts = plan.layout_pairs(), benchmarks = plan.workloads.size();
    const auto needed = blocks_for_any_verdict(plan);
    const bool needs_layouts = layouts > 0 && layouts < needed;
    if (benchmarks == 0 || (plan.blocks >= needed && !needs_layouts)) return;
    const auto of = benchmarks == 1 ? "" : fmt::format(" in a comparison of {} benchmarks", benchmarks);
    tell(reports::warning{
        "few_pairs",
        fmt::format("{} cannot show a difference{}, however large it is",
                    needs_layouts ? fmt::format("{} layouts of each build", layouts)
                                  : fmt::format("{} block{}", plan.blocks, plan.blocks == 1 ? "" : "s"),
                    of),
        more_pairs(plan, needed) + (benchmarks > 1 ? ", or choose fewer benchmarks (--workload)" : "")});
}

run_plan plan_for(const compare_options& options, const interrupt& stop, session_start started) {
    auto plan = sized_plan(options.of_commands ? usual_commands_plan() : usual_gate_plan(), options.session);
    report_inherited_flags();
    const auto [base, next] = options.of_commands ? command_names(options.base, options.next)
                                                  : program_names(options.base, options.next);
    plan.of_one_program = true;
    plan.baseline = base;
    plan.tolerated_pct = options.tolerated_pct;
    plan.causes = options.causes;
    {
        progress shown;
        shown.show_step("listing the benchmarks");
        const listing_place place{options, plan, stop, started};
        std::vector sides{side(base, options.base, place), side(next, options.next, place)};
        plan.workloads = chosen_benchmarks(sides, place);
        plan.contenders = std::move(sides);
    }
    leave_out_unmatched(plan);
    warn_of_too_few_pairs(plan);
    complete_plan(plan, stop, started);
    // The descriptions contain the whole paths, because the contenders' names are only the ends of the paths.
    plan.described[0].context["program"] = reports::valid_utf8(options.base);
    plan.described[1].context["program"] = reports::valid_utf8(options.next);
    for (std::size_t i = 0; i < plan.described.size(); ++i)
        if (const auto chosen = plan.contenders[i].environment.find(asio_loop_variable);
            chosen != plan.contenders[i].environment.end())
            plan.described[i].context["environment"] =
                reports::valid_utf8(fmt::format("{}={}", asio_loop_variable, chosen->second));
    if (options.served.client) {
        choose_pairings_of_servers(plan, options.served);
    } else if (!options.of_commands) {
        report_pairings(plan, pair_third_party_programs(plan, stop, started));
    }
    return plan;
}

void choose(reports::report& then, reports::report& now, const std::vector<std::string>& patterns) {
    std::vector<std::string> all;
    for (const auto* report : {&then, &now})
        for (const auto& item : report->results) all.push_back(item.workload);
    const auto chosen = select(all, patterns, "benchmark of the files",
                               "`loopbench report FILE --format text` shows all names");
    for (auto* report : {&then, &now})
        std::erase_if(report->results, [&](const auto& item) {
            return std::ranges::find(chosen, item.workload) == chosen.end();
        });
}

std::string written(const reports::report& compared, const reports::report& then, std::string_view format) {
    if (format == "html") return reports::write_html(compared, {}, &then);
    return format == "json" ? reports::write_json(compared) : reports::write_table(compared);
}

/// Compares two reports from the same kind of program.
reports::report compared(reports::report& then, reports::report& now, report_source source,
                         const compare_options& options) {
    const auto threshold_pct = options.session.threshold_pct.value_or(run_plan{}.threshold_pct);
    if (source == report_source::loopbench) {
        refuse_other_size(then, options.base, now, options.next);
        return compare_reports(then, now, threshold_pct);
    }
    auto unmatched = match_third_party({then, options.base}, {now, options.next});
    auto report = compare_reports(then, now, threshold_pct, measured_by::third_party);
    std::ranges::move(unmatched, std::back_inserter(report.warnings));
    return report;
}

int compare_two_reports(const compare_options& options) {
    if (!options.of_measuring.empty())
        throw usage_error{"a comparison of two reports measures nothing; leave {} out",
                          fmt::join(options.of_measuring, " and ")};
    if (!options.arguments.empty())
        throw usage_error{"a comparison of two reports starts no program; leave --args out"};
    auto [then, source] = read_report_and_source(options.base);
    auto [now, other_source] = read_report_and_source(options.next);
    if (source != other_source)
        throw usage_error{
            "only one of {} and {} is a report of loopbench; compare two files of one kind, or measure both "
            "programs with `loopbench compare OLD NEW`",
            options.base, options.next};
    choose(then, now, options.workloads);
    auto report = compared(then, now, source, options);
    for (const auto& item : report.warnings) tell(item);
    for (const auto& [file, complete] :
         {std::pair{options.base, then.complete}, {options.next, now.complete}})
        if (!complete)
            report.warnings.push_back(
                {std::string{interrupted_report},
                 fmt::format("{} comes from an interrupted run", reports::valid_utf8(file)),
                 "finish it with `loopbench run --resume`"});
    add_gate(report, options.tolerated_pct);
    reports::write_standard_output(written(report, then, options.format));
    if (options.format != "text") tell(report.gate->verdict + "\n");
    return conclude(judge_gate(report, options.tolerated_pct));
}

int compare(const compare_options& options, const invocation& by) {
    const auto started = session_start::clock::now();
    const auto base = options.of_commands ? operand::executable : what_is(options.base),
               next = options.of_commands ? operand::executable : what_is(options.next);
    if (base != next)
        throw usage_error{
            "{} is {} and {} is {}; {}", options.base, name_of(base), options.next, name_of(next), name_two};
    refuse_served_without_client(options.served);
    if (!options.arguments.empty() && options.of_commands)
        throw usage_error{"--args is for benchmark programs; write the arguments into the commands"};
    if (options.of_commands &&
        options.session.asked_pairing.value_or(reports::pairing::sequential) != reports::pairing::sequential)
        throw usage_error{"commands run one after the other; leave --pairing out"};
    if (!options.arguments.empty() && options.served.client)
        throw usage_error{"--args is for benchmark programs; write the arguments of servers after `--`"};
    if (reports::valid_utf8(options.arguments) != options.arguments)
        throw usage_error{"--args is not valid UTF-8, which the journal needs; use other arguments"};
    if (options.served.client && base != operand::executable)
        throw usage_error{"--client is only for two servers, but {} is {}; compare two executables",
                          options.base, name_of(base)};
    if (base == operand::report) return compare_two_reports(options);
    if (options.format != "text")
        throw usage_error{
            "--format is only for two reports; leave it out, and find the results in {}/report.{}",
            options.session.output, options.format};
    const fs::path folder{options.session.output};
    refuse_folder_in_use(folder);
    const interrupt stop;
    refuse_unknown_client(options.served, stop.fd());
    stop.throw_if_requested();
    const auto run = measure(plan_for(options, stop, started), {folder, by, stop, started});
    const auto report = judged_report_of(run.record);
    publish(run, report, folder, detail::comparison);
    return report.complete ? exit_code_of(judge_gate(report, options.tolerated_pct)) : exit_interrupted;
}

const std::initializer_list<example> compare_examples{
    {"loopbench compare ./old ./new --blocks 40", "compares two builds of a Google Benchmark program"},
    {"loopbench compare old.json new.json",
     "compares two reports, or two JSON files of Google Benchmark, without measuring"},
    {"loopbench compare -- 'sort --parallel=1 a' 'sort --parallel=2 a'",
     "compares two commands by wall time, CPU time and peak memory"},
    {"loopbench compare --client echo ./old ./new -- {port}", "compares two echo servers"}};

}  // namespace

namespace {

void add_cause_options(CLI::App& command, cause_options& causes, std::vector<CLI::Option*>& of_measuring) {
    of_measuring.push_back(command.add_flag(
        "--instructions", causes.instructions,
        "without a hardware counter, count the instructions of slower benchmarks with callgrind (valgrind)"));
    of_measuring.push_back(
        command.add_flag("--profile", causes.profile,
                         "profile slower benchmarks with perf or callgrind, and show the functions that take "
                         "longer"));
    put_under(command, heading::judging);
}

}  // namespace

void add_compare_command(CLI::App& app, action& chosen) {
    const auto options = std::make_shared<compare_options>();
    auto* command = app.add_subcommand(
        "compare", "compares two builds of a benchmark program or of a server, two commands, or two reports");
    command->footer(examples_and(compare_examples, std::string{how_trials_run} + how_layouts_are_drawn +
                                                       how_causes_are_found + how_servers_are_measured));
    command
        ->add_option("BASE", options->base,
                     "the old report or JSON output of Google Benchmark, the old executable (Google "
                     "Benchmark or a server), or a folder with its layouts; after `--`, a command")
        ->required();
    command
        ->add_option("NEW", options->next,
                     fmt::format("the new report, executable or folder; after `--`, a command (then --blocks "
                                 "is {}, and --min-time {:g}ms)",
                                 usual_commands_plan().blocks, 1000 * usual_commands_plan().min_time_s))
        ->required();
    add_served_options(*command, options->served);
    add_repeatable(*command, "--workload", options->workloads, "GLOB",
                   "only these benchmarks; may be repeated");
    command
        ->add_option("--args", options->arguments,
                     "arguments for both benchmark programs, for example --args='--input \"my file\"'")
        ->type_name("ARGS")
        ->group(heading::what);
    takes_one_of(
        command->add_option("--format", options->format,
                            "format for two reports, on standard output (text); html is one page with both"),
        {"text", "html", "json"})
        ->group(heading::output);
    auto of_measuring =
        add_session_options(*command, options->session, usual_gate_plan(), "loopbench-compare");
    const auto* const tolerance = add_tolerance(*command, options->tolerated_pct);
    add_cause_options(*command, options->causes, of_measuring);
    command->callback([options, &chosen, of_measuring, tolerance] {
        if (tolerance->count() == 0)  // a pass cannot rule out less than what counts as a difference
            options->tolerated_pct =
                std::max(options->tolerated_pct, options->session.threshold_pct.value_or(0));
        for (const auto* option : of_measuring)
            if (option->count() > 0) options->of_measuring.push_back("--" + option->get_lnames().front());
        chosen = [options](const invocation& by) {
            options->of_commands =
                !options->served.client && are_commands(by.words, options->base, options->next);
            return compare(*options, by);
        };
    });
}

}  // namespace loopbench::bench
