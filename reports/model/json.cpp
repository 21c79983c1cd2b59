#include "reports/model/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "reports/base/json_fields.hpp"
#include "reports/base/require_format.hpp"
#include "reports/model/used_cores_fields.hpp"
#include "reports/render/calibration.hpp"
#include "reports/render/terminal/unicode.hpp"

namespace loopbench::reports {

namespace {
using json = nlohmann::ordered_json;
}  // namespace

constexpr auto fields_of(const ratio*) {
    return std::tuple(field{"to", &ratio::to}, field{"median", &ratio::median}, field{"low", &ratio::low},
                      field{"high", &ratio::high}, field{"samples", &ratio::samples, presence::when_there});
}

constexpr auto fields_of(const difference*) {
    return std::tuple(field{"to", &difference::to}, field{"median", &difference::median},
                      field{"low", &difference::low}, field{"high", &difference::high});
}

constexpr auto fields_of(const floor_multiple*) {
    return std::tuple(field{"floor", &floor_multiple::floor}, field{"median", &floor_multiple::median},
                      field{"low", &floor_multiple::low}, field{"high", &floor_multiple::high});
}

constexpr auto fields_of(const driver_ratio*) {
    return std::tuple(field{"to", &driver_ratio::to}, field{"median", &driver_ratio::median},
                      field{"low", &driver_ratio::low}, field{"high", &driver_ratio::high},
                      field{"verdict", &driver_ratio::judged});
}

constexpr auto fields_of(const host_effect*) {
    return std::tuple(field{"ratios", &host_effect::ratios},
                      field{"deviation_pct", &host_effect::deviation_pct},
                      field{"differ", &host_effect::differ});
}

constexpr auto fields_of(const host*) {
    return std::tuple(field{"kernel", &host::kernel}, field{"cpu_model", &host::cpu_model},
                      field{"cores", &host::cores}, field{"shards", &host::shards},
                      field{"blocks", &host::blocks});
}

constexpr auto fields_of(const result*) {
    return std::tuple(
        field{"workload", &result::workload}, field{"contender", &result::contender},
        field{"metric", &result::metric}, field{"unit", &result::unit}, field{"direction", &result::better},
        field{"deterministic", &result::deterministic}, field{"pairing", &result::made},
        field{"samples", &result::samples}, field{"median", &result::median}, field{"low", &result::low},
        field{"high", &result::high}, field{"level", &result::level}, field{"ratio", &result::to_baseline},
        field{"difference", &result::from_baseline, presence::when_there},
        field{"times_floor", &result::times_floor},
        field{"to_epoll", &result::to_epoll, presence::when_there}, field{"verdict", &result::judged},
        field{"detectable_pct", &result::detectable_pct},
        field{"layout_pct", &result::layout_pct, presence::when_there},
        field{"by_host", &result::by_host, presence::when_there},
        field{"max_of", &result::max_of, presence::when_there}, field{"status", &result::status},
        field{"reason", &result::reason});
}

constexpr auto fields_of(const asio_use*) {
    return std::tuple(field{"dropin", &asio_use::dropin}, field{"loops", &asio_use::loops},
                      field{"failure", &asio_use::failure, presence::when_there});
}

constexpr auto fields_of(const contender*) {
    return std::tuple(field{"name", &contender::name}, field{"library", &contender::library},
                      field{"version", &contender::version}, field{"compiler", &contender::compiler},
                      field{"flags", &contender::flags}, field{"socket_options", &contender::socket_options},
                      field{"context", &contender::context},
                      field{"asio", &contender::asio, presence::when_there});
}

constexpr auto fields_of(const workload*) {
    return std::tuple(field{"name", &workload::name}, field{"primary_metrics", &workload::primary_metrics},
                      field{"cores", &workload::cores, presence::when_there});
}

constexpr auto fields_of(const detection_rate*) {
    return std::tuple(
        field{"slowdown_pct", &detection_rate::slowdown_pct}, field{"measured", &detection_rate::measured},
        field{"measured_slower", &detection_rate::measured_slower}, field{"low", &detection_rate::low},
        field{"high", &detection_rate::high}, field{"faster", &detection_rate::faster});
}

constexpr auto fields_of(const alarm_rate*) {
    return std::tuple(field{"blocks", &alarm_rate::blocks}, field{"tries", &alarm_rate::tries},
                      field{"different", &alarm_rate::different},
                      field{"at_most_pct", &alarm_rate::at_most_pct});
}

constexpr auto fields_of(const pairing_agreement*) {
    return std::tuple(field{"workload", &pairing_agreement::workload},
                      field{"referee", &pairing_agreement::referee},
                      field{"time_differs_pct", &pairing_agreement::time_differs_pct},
                      field{"ratio_differs_pct", &pairing_agreement::ratio_differs_pct},
                      field{"agrees", &pairing_agreement::agrees});
}

constexpr auto fields_of(const calibration*) {
    return std::tuple(field{"date", &calibration::date}, field{"complete", &calibration::complete},
                      field{"contender", &calibration::contender},
                      field{"workloads", &calibration::workloads}, field{"pairing", &calibration::made},
                      field{"threshold_pct", &calibration::threshold_pct}, field{"aa", &calibration::aa},
                      field{"blocks", &calibration::blocks}, field{"try_s", &calibration::try_s},
                      field{"slowdowns", &calibration::slowdowns},
                      field{"pairings", &calibration::pairings, presence::when_there});
}

constexpr auto fields_of(const environment*) {
    return std::tuple(
        field{"date", &environment::date}, field{"loopbench_version", &environment::loopbench_version},
        field{"kernel", &environment::kernel}, field{"cpu_model", &environment::cpu_model},
        field{"cores", &environment::cores}, field{"memory_bytes", &environment::memory_bytes},
        field{"governor", &environment::governor}, field{"clocksource", &environment::clocksource},
        field{"timer_slack_ns", &environment::timer_slack_ns},
        field{"cheapest_call_ns", &environment::cheapest_call_ns, presence::when_there},
        field{"load_average", &environment::load_average},
        field{"calibration", &environment::calibrated, presence::when_there},
        field{"machine", &environment::machine, presence::when_there});
}

constexpr auto fields_of(const planned*) {
    return std::tuple(field{"size", &planned::size}, field{"min_time_s", &planned::min_time_s},
                      field{"trial_limit_s", &planned::trial_limit_s}, field{"blocks", &planned::blocks},
                      field{"cpu", &planned::cpu}, field{"layouts", &planned::layouts, presence::when_there},
                      field{"slice_untimed_ns", &planned::slice_untimed_ns, presence::when_there},
                      field{"slice_timed_ns", &planned::slice_timed_ns, presence::when_there},
                      field{"serve_on", &planned::serve_on, presence::when_there},
                      field{"generator_on", &planned::generator_on, presence::when_there});
}

constexpr auto fields_of(const judging*) {
    return std::tuple(field{"correction", &judging::correction},
                      field{"threshold_pct", &judging::threshold_pct},
                      field{"comparisons", &judging::comparisons});
}

constexpr auto fields_of(const gate_summary*) {
    return std::tuple(field{"tolerated_pct", &gate_summary::tolerated_pct},
                      field{"outcome", &gate_summary::outcome}, field{"verdict", &gate_summary::verdict});
}

constexpr auto fields_of(const disturbances*) {
    return std::tuple(field{"trials", &disturbances::trials}, field{"disturbed", &disturbances::disturbed},
                      field{"repeated", &disturbances::repeated}, field{"kept", &disturbances::kept},
                      field{"workloads", &disturbances::workloads, presence::when_there});
}

constexpr auto fields_of(const self_comparison*) {
    return std::tuple(
        field{"workload", &self_comparison::workload}, field{"ratio", &self_comparison::to_itself},
        field{"verdict", &self_comparison::judged}, field{"detectable_pct", &self_comparison::detectable_pct},
        field{"drift_pct", &self_comparison::drift_pct}, field{"drifted", &self_comparison::drifted});
}

constexpr auto fields_of(const self_check*) {
    return std::tuple(field{"contender", &self_check::contender}, field{"aa_copy", &self_check::aa_copy},
                      field{"found", &self_check::found}, field{"reason", &self_check::reason},
                      field{"spread_pct", &self_check::spread_pct},
                      field{"comparisons", &self_check::comparisons});
}

void check_fields(const self_check& found, const node& from) {
    if (found.found == reliability::unreliable && !found.reason)
        from.at("reason").fail("the session is unreliable, but the reason is missing");
}

constexpr auto fields_of(const warning*) {
    return std::tuple(field{"code", &warning::code}, field{"message", &warning::message},
                      field{"remedy", &warning::remedy});
}

constexpr auto fields_of(const changed_count*) {
    return std::tuple(field{"kind", &changed_count::kind}, field{"name", &changed_count::name},
                      field{"before", &changed_count::before}, field{"after", &changed_count::after});
}

constexpr auto fields_of(const profiled_function*) {
    return std::tuple(
        field{"name", &profiled_function::name}, field{"before_pct", &profiled_function::before_pct},
        field{"after_pct", &profiled_function::after_pct}, field{"more_ns", &profiled_function::more_ns},
        field{"error_ns", &profiled_function::error_ns, presence::when_there});
}

constexpr auto fields_of(const profiled_stack*) {
    return std::tuple(field{"stack", &profiled_stack::stack}, field{"before_ns", &profiled_stack::before_ns},
                      field{"after_ns", &profiled_stack::after_ns});
}

constexpr auto fields_of(const profile*) {
    return std::tuple(field{"profiler", &profile::profiler}, field{"functions", &profile::functions},
                      field{"stacks", &profile::stacks}, field{"set_up_included", &profile::set_up_included});
}

constexpr auto fields_of(const operation_time*) {
    return std::tuple(field{"wall_ns", &operation_time::wall_ns}, field{"user_ns", &operation_time::user_ns},
                      field{"system_ns", &operation_time::system_ns});
}

constexpr auto fields_of(const slowdown_cause*) {
    return std::tuple(
        field{"workload", &slowdown_cause::workload}, field{"contender", &slowdown_cause::contender},
        field{"per", &slowdown_cause::per}, field{"changed", &slowdown_cause::changed},
        field{"compared", &slowdown_cause::compared}, field{"unstable", &slowdown_cause::unstable},
        field{"set_up_included", &slowdown_cause::set_up_included},
        field{"missing", &slowdown_cause::missing},
        field{"time_before", &slowdown_cause::time_before, presence::when_there},
        field{"time_after", &slowdown_cause::time_after, presence::when_there},
        field{"profile", &slowdown_cause::profiled, presence::when_there});
}

constexpr auto fields_of(const unmatched_benchmark*) {
    return std::tuple(field{"workload", &unmatched_benchmark::workload},
                      field{"contender", &unmatched_benchmark::contender});
}

constexpr auto fields_of(const report*) {
    return std::tuple(
        field{"schema", &report::schema}, field{"complete", &report::complete}, field{"seed", &report::seed},
        field{"baseline", &report::baseline}, field{"command", &report::command},
        field{"plan", &report::plan}, field{"environment", &report::where},
        field{"hosts", &report::hosts, presence::when_there}, field{"contenders", &report::contenders},
        field{"workloads", &report::workloads}, field{"results", &report::results},
        field{"unmatched", &report::unmatched, presence::when_there}, field{"judging", &report::judged_by},
        field{"gate", &report::gate, presence::when_there},
        field{"causes", &report::causes, presence::when_there}, field{"aa", &report::aa},
        field{"disturbances", &report::disturbed}, field{"warnings", &report::warnings});
}

json to_json(const environment& where) {
    return value_of(where);
}

json to_json(const calibration& found) {
    return value_of(found);
}

json to_json(const report& content) {
    return value_of(content);
}

json to_json(const std::vector<slowdown_cause>& causes) {
    return value_of(causes);
}

environment read_environment(const node& from) {
    return read_value<environment>(from);
}

std::vector<slowdown_cause> read_causes(const node& from) {
    return read_value<std::vector<slowdown_cause>>(from);
}

calibration read_calibration(const node& from) {
    return read_value<calibration>(from);
}

std::string dump(const json& value, int indent) {
    auto text = value.dump(indent, ' ', false, json::error_handler_t::replace);
    const auto is_plain = [](char c) { return static_cast<unsigned char>(c) < 0x7f; };
    if (std::ranges::all_of(text, is_plain)) return text;
    // dump() escapes only the control characters below the space character. This loop escapes the others,
    // because they could control a terminal, too. They occur only inside strings, where JSON allows escape
    // sequences.
    std::string escaped;
    escaped.reserve(text.size());
    for (std::string_view rest = text; !rest.empty();) {
        const auto next = is_plain(rest.front()) ? character{1, 1, true} : character_at(rest);
        const auto bytes = rest.substr(0, next.bytes);
        if (next.is_printable) {
            escaped += bytes;
        } else {
            const auto quoted = json(bytes).dump(-1, ' ', true);
            escaped.append(quoted, 1, quoted.size() - 2);
        }
        rest.remove_prefix(next.bytes);
    }
    return escaped;
}

json number_or_null(std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return nullptr;
    return *value;
}

void add_number(std::string& out, std::optional<double> value, int digits) {
    if (!value || !std::isfinite(*value)) {
        out += "null";
        return;
    }
    std::array<char, 32> text;
    const auto* const end =
        std::to_chars(text.data(), text.data() + text.size(), *value, std::chars_format::general, digits).ptr;
    out.append(std::string_view{text.data(), end});
}

std::string valid_utf8(std::string_view text) {
    return json::parse(dump(std::string{text})).get<std::string>();
}

std::string write_json(const report& content) {
    return dump(to_json(content), 1) + "\n";
}

report read_json(const std::string& text, std::string_view name) {
    try {
        const document content{text, {.room_behind = text.capacity() - text.size()}};
        const auto from = content.root();
        require_format(from, report_format, name);
        return read_value<report>(from);
    } catch (const other_format&) {
        throw;
    } catch (const format_error& error) {
        throw format_error{"{} is not a report: {}; write it again with `loopbench run`", name, error.what()};
    }
}

std::string rewrite_json(const std::string& text, std::string_view name) {
    read_json(text, name);
    return dump(parse_strictly(text), 1) + "\n";
}

}  // namespace loopbench::reports
