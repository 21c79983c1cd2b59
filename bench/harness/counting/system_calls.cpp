// The parsers assume as little as possible about the formats of strace and perf, because both write for
// people, and their formats can change.
#include "bench/harness/counting/system_calls.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "reports/render/columns.hpp"

namespace loopbench::bench {

namespace {

template <class Use>
void for_each_line(std::string_view text, Use use) {
    while (!text.empty()) {
        const auto end = text.find('\n');
        use(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

std::vector<std::string_view> split_arguments(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    bool quoted = false;
    std::size_t start = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
        if (quoted) continue;
        if (c == '(' || c == '[' || c == '{') ++depth;
        if (c == ')' || c == ']' || c == '}') --depth;
        if (c == ',' && depth == 0) {
            parts.push_back(text.substr(start, i - start));
            start = std::min(i + 2, text.size());
        }
    }
    parts.push_back(text.substr(start));
    return parts;
}

struct wait_call {
    std::string_view name;
    std::size_t timeout;  // index of the timeout among the arguments, from 0
};

constexpr std::array wait_calls{
    wait_call{"epoll_wait", 3}, wait_call{"epoll_pwait", 3}, wait_call{"epoll_pwait2", 3},
    wait_call{"select", 4},     wait_call{"pselect6", 4},    wait_call{"poll", 2},
    wait_call{"ppoll", 2},
};

bool is_zero_time(std::string_view argument) {
    return argument == "0" || argument.starts_with("{tv_sec=0, tv_usec=0}") ||
           argument.starts_with("{tv_sec=0, tv_nsec=0}");
}

std::pair<std::string_view, std::string_view> split_result(std::string_view text) {
    const auto equals = text.rfind(") = ");
    if (equals == std::string_view::npos) {
        const auto padded = text.rfind(" = ");  // strace pads short calls: "close(3)    = 0"
        if (padded == std::string_view::npos) return {text, {}};
        const auto close = text.rfind(')', padded);
        return {text.substr(0, close), text.substr(padded + 3)};
    }
    return {text.substr(0, equals), text.substr(equals + 4)};
}

void look_at_wait(system_calls& calls, std::string_view name, std::string_view rest) {
    const auto* const known = std::ranges::find(wait_calls, name, &wait_call::name);
    const bool uring =
        name == "io_uring_enter" && rest.find("IORING_ENTER_GETEVENTS") != std::string_view::npos;
    if (known == wait_calls.end() && !uring) return;
    const auto [arguments, result] = split_result(rest);
    const auto parts = split_arguments(arguments);
    constexpr std::size_t uring_completions_wanted = 2;
    const std::size_t timeout = uring ? uring_completions_wanted : known->timeout;
    ++calls.waits;
    if (parts.size() > timeout && is_zero_time(parts[timeout])) ++calls.zero_timeout_waits;
    const bool nothing = uring ? result.starts_with("-1 ETIME") : result == "0" || result.starts_with("0 (");
    if (nothing) ++calls.empty_waits;
}

/// Removes the process ID from the front of the line and returns it. Returns an empty text while there is
/// only one process, because strace then omits the ID.
std::string_view take_pid(std::string_view& line) {
    const auto digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const auto pid = line.substr(0, digits);
    line.remove_prefix(std::min(line.find_first_not_of(' ', digits), line.size()));
    return pid;
}

/// The header " name (thread), N events, P%" above each of perf's tables. P is the table's share of all
/// events.
struct table_header {
    std::uint64_t events = 0;
    double percent = 0;
};

std::optional<table_header> header_in(std::string_view line) {
    constexpr std::string_view between = " events, ";
    const auto end = line.find(between);
    const auto start = end == std::string_view::npos ? end : line.rfind("), ", end);
    if (start == std::string_view::npos) return std::nullopt;
    table_header found;
    std::from_chars(line.data() + start + 3, line.data() + end, found.events);
    std::from_chars(line.data() + end + between.size(), line.data() + line.size(), found.percent);
    if (found.events == 0) return std::nullopt;
    return found;
}

/// Returns true if the tables together contain all events. Accepts a small missing share: the percentages in
/// the headers refer to all events, which include some that are not system calls (starts, ends, names and
/// memory mappings of processes and threads).
bool are_all(std::span<const table_header> tables) {
    constexpr double rounding = 0.05, others = 40, others_per_thread = 12;
    double percent = 0, seen = 0;
    for (const auto& [events, share] : tables) {
        percent += share + rounding;
        if (share > 0) seen = std::max(seen, 100 * static_cast<double>(events) / share);
    }
    const auto threads = static_cast<double>(tables.size());
    return percent >= 100 * (1 - (others + others_per_thread * threads) / std::max(seen, 1.0));
}

bool is_name(std::string_view text) {
    const auto of_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    return !text.empty() && std::ranges::all_of(text, of_name);
}

}  // namespace

std::uint64_t system_calls::total() const noexcept {
    return std::accumulate(by_name.begin(), by_name.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const auto& each) { return sum + each.second; });
}

system_calls read_strace_log(std::string_view log) {
    constexpr std::string_view unfinished = " <unfinished ...>";
    constexpr std::string_view resumed = " resumed>";
    system_calls calls;
    // The beginnings of unfinished lines by process ID. strace writes a call in two lines if another thread
    // makes a call in between.
    std::map<std::string, std::string, std::less<>> begun;
    std::optional<std::string> first;
    bool ended = false;
    std::size_t number = 0;
    const auto is_of_contender = [&](const std::string& pid) { return pid == *first || first->empty(); };
    const auto refuse = [&](std::string_view line) {
        throw incomplete_record{"line {} of the log is not a system call: \"{}\"", number,
                                reports::printable(line.substr(0, 60))};
    };
    if (!log.empty() && log.back() != '\n')
        throw incomplete_record{"the log ends in the middle of a line; the file system may be full"};
    for_each_line(log, [&](std::string_view line) {
        ++number;
        const std::string pid{take_pid(line)};
        if (!first) first = pid;
        if (line.starts_with("+++") || line.starts_with("---")) return;
        std::string whole{line};
        if (line.starts_with("<... ")) {
            const auto end = line.find(resumed);
            const auto start = begun.find(pid);
            if (end == std::string_view::npos || start == begun.end()) return refuse(line);
            whole = start->second + std::string{line.substr(end + resumed.size())};
            begun.erase(start);
        } else if (line.ends_with(unfinished)) {
            begun[pid] = line.substr(0, line.size() - unfinished.size());
            return;
        }
        const auto open = whole.find('(');
        const auto name = std::string_view{whole}.substr(0, open);
        if (open == std::string::npos || !is_name(name) || whole.find(" = ", open) == std::string::npos)
            return refuse(line);
        ended = ended || (name == "exit_group" && is_of_contender(pid));
        ++calls.by_name[std::string{name}];
        look_at_wait(calls, name, std::string_view{whole}.substr(open + 1));
    });
    // The calls that are left in `begun` never returned, because the process ended during them (for example
    // exit_group, or the wait of a second thread). They are counted, too.
    for (const auto& [pid, start] : begun) {
        const auto name = start.substr(0, start.find('('));
        ended = ended || (name == "exit_group" && is_of_contender(pid));
        ++calls.by_name[name];
    }
    if (!ended) throw incomplete_record{"the log lacks the end of the process (exit_group)"};
    return calls;
}

system_calls read_perf_trace(std::string_view file) {
    if (file.find("LOST") != std::string_view::npos)
        throw incomplete_record{"perf lost some events, so its counts are too low"};
    system_calls calls;
    std::uint64_t events = 0;
    std::vector<table_header> tables;
    for_each_line(file, [&](std::string_view line) {
        std::istringstream row{std::string{line}};
        std::string name;
        std::uint64_t count = 0;
        double time = 0;
        if (row >> name >> count >> time && is_name(name)) calls.by_name[name] += count;
        if (const auto of_thread = header_in(line)) {
            events += of_thread->events;
            tables.push_back(*of_thread);
        }
    });
    // Each counted call has two events, for its start and its end. If a thread ends during a call, this call
    // has only one event and is not in the tables. Therefore there can be up to one additional event for each
    // thread.
    const auto in_tables = 2 * calls.total();
    if (calls.total() == 0 || events < in_tables || events > in_tables + tables.size())
        throw incomplete_record{"perf observed {} events, but its tables contain {} events", events,
                                in_tables};
    if (!are_all(tables)) throw incomplete_record{"the tables of perf do not contain all threads"};
    return calls;
}

}  // namespace loopbench::bench
