#include "bench/harness/trial/stated_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "reports/model/json.hpp"

namespace loopbench::bench {

namespace {

/// The kinds of lines, from the least to the most informative one.
enum class line_kind {
    note,       // never a cause
    aftermath,  // what other programs print after a failure; used if there is nothing else
    text,
    error,  // marked as an error
    fatal   // printed by a program that cannot continue
};

struct error_line {
    std::string text;
    bool is_rewritten;  // a carriage return is next to it, as next to a progress bar
};

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

template <class words>
bool has_any(std::string_view text, const words& all) {
    return std::ranges::any_of(all, [&](std::string_view each) { return text.find(each) != text.npos; });
}

/// Returns the size of the terminal sequence at the start of the text, for example of a colour, or 0.
std::size_t terminal_sequence(std::string_view text) {
    if (text.size() < 2 || text[0] != '\033') return 0;
    const bool is_title = text[1] == ']';
    if (!is_title && text[1] != '[') return 2;
    for (std::size_t i = 2; i < text.size(); ++i)
        if (is_title ? text[i] == '\a' || text[i] == '\\' : text[i] >= '@' && text[i] <= '~') return i + 1;
    return text.size();
}

std::string without_control_characters(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size();) {
        if (const auto size = terminal_sequence(text.substr(i)); size > 0) {
            i += size;
            continue;
        }
        const char c = text[i++];
        if (c == '\t')
            plain += ' ';
        else if (static_cast<unsigned char>(c) >= ' ' && c != '\x7f')
            plain += c;
    }
    plain.erase(plain.find_last_not_of(' ') + 1);
    return plain;
}

std::vector<error_line> lines_of(std::string_view text) {
    std::vector<error_line> all;
    bool after_return = false;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of("\r\n"), text.size());
        auto line = without_control_characters(text.substr(0, end));
        text.remove_prefix(end);
        const bool ends_line = text.starts_with("\r\n") || text.starts_with('\n') || text.empty();
        if (!line.empty()) all.push_back({std::move(line), after_return || !ends_line});
        after_return = !ends_line;
        text.remove_prefix(std::min<std::size_t>(text.size(), text.starts_with("\r\n") ? 2 : 1));
    }
    return all;
}

/// Returns true for lines such as "[####  ] 40%" and "12/80 files" that a program rewrites in place.
bool is_progress(const error_line& line) {
    if (!line.is_rewritten) return false;
    const std::string_view text{line.text};
    for (auto at = text.find_first_of("%/"); at != text.npos; at = text.find_first_of("%/", at + 1)) {
        const auto before = text.substr(0, at).find_last_not_of(' ');
        const bool has_number = before != text.npos && is_digit(text[before]);
        if (has_number && (text[at] == '%' || (at + 1 < text.size() && is_digit(text[at + 1])))) return true;
    }
    return false;
}

/// Returns true for "W0101 12:00:00.000000 7 file.cc:8] text" (glog, Abseil) with the given letters.
bool is_of_glog(std::string_view line, std::string_view letters) {
    return line.size() > 5 && letters.find(line[0]) != letters.npos &&
           std::ranges::all_of(line.substr(1, 4), is_digit) && line[5] == ' ' && line.find("] ") != line.npos;
}

constexpr auto fatal_parts = std::to_array<std::string_view>({"terminate called",
                                                              "terminating due to uncaught",
                                                              "terminating with uncaught",
                                                              "Assertion `",
                                                              "Assertion failed",
                                                              "Check `",
                                                              "Check failed: ",
                                                              "error while loading shared libraries",
                                                              "symbol lookup error",
                                                              "version `GLIBC",
                                                              "stack smashing detected",
                                                              "free(): ",
                                                              "malloc(): ",
                                                              "double free or corruption",
                                                              "corrupted size vs. prev_size",
                                                              "malloc_consolidate(): ",
                                                              "panicked at",
                                                              "panic: ",
                                                              "Fatal Python error",
                                                              "Exception in thread",
                                                              "Sanitizer: "});

/// Notes without the word "warning": of Google Benchmark, and of Node.js.
constexpr auto note_parts = std::to_array<std::string_view>(
    {"LOG(", "Value passed to --benchmark_min_time should have a suffix", "Unable to determine clock rate",
     "This does not affect benchmark measurements", "to show where the warning was created"});

constexpr auto aftermath_parts = std::to_array<std::string_view>(
    {"(core dumped)", "Abort trap: ", "==ABORTING", "Received signal ", "*** Aborted at ", "PC: @",
     "Check failure stack trace", "Traceback (most recent call last)", "Command exited with ", "make: *** "});
constexpr auto aftermath_starts =
    std::to_array<std::string_view>({"goroutine ", "exit status ", "Try '", "Usage:", "usage:", "*** SIG"});

/// Returns true for the lines in which Google Benchmark describes the machine.
bool is_of_machine(std::string_view line) {
    return (line.starts_with("Run on (") && line.find(" CPU") != line.npos) || line == "CPU Caches:" ||
           line.starts_with("Load Average: ") ||
           (line.starts_with("Running ") && line.size() > 8 && (line[8] == '/' || line[8] == '.'));
}

bool is_stack_frame(std::string_view line) {
    const auto start = line.find_first_not_of(' ');
    if (start == line.npos) return false;
    const auto rest = line.substr(start);
    const auto number = rest.find_first_not_of("0123456789");
    return (rest[0] == '#' && rest.size() > 1 && is_digit(rest[1])) ||
           (rest[0] == '@' && rest.find("0x") != rest.npos) || (start > 0 && rest.starts_with("at ")) ||
           (number != rest.npos && number > 0 &&
            (rest[number] == '#' || rest.substr(number).starts_with(": 0x")));
}

/// Returns true for "./run.sh: line 2: 123 Aborted ./bench", which a shell prints.
bool is_of_shell(std::string_view line) {
    constexpr std::array<std::string_view, 4> ends{" Aborted ", " Segmentation fault ", " Killed ",
                                                   " Terminated "};
    return line.find(": line ") != line.npos && has_any(fmt::format("{} ", line), ends);
}

std::optional<line_kind> kind_of_word(std::string word) {
    std::ranges::transform(word, word.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    constexpr auto notes = std::to_array<std::string_view>(
        {"warn", "note", "info", "notice", "hint", "debug", "trace", "verbose"});
    if (word.ends_with("warning") || std::ranges::find(notes, word) != notes.end()) return line_kind::note;
    constexpr auto errors = std::to_array<std::string_view>({"err", "fatal", "critical"});
    if (word.ends_with("error") || word.ends_with("exception") ||
        std::ranges::find(errors, word) != errors.end())
        return line_kind::error;
    return std::nullopt;
}

/// Returns the kind that the first mark of the line states, for example "[warn]", "note:" or "ERROR".
std::optional<line_kind> marked_kind(std::string_view line) {
    constexpr std::size_t mark_bytes_max = 200;
    line = line.substr(0, mark_bytes_max);
    for (std::size_t start = 0; start < line.size();) {
        if (!is_letter(line[start])) {
            ++start;
            continue;
        }
        auto end = start;
        while (end < line.size() && is_letter(line[end])) ++end;
        auto next = end;
        if (line.substr(next).starts_with(" #"))  // "OMP: Warning #96: ..."
            next = std::min(line.find_first_not_of("0123456789", next + 2), line.size());
        const auto word = line.substr(start, end - start);
        const bool is_capital = std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
        const bool is_marked =
            (next < line.size() && std::string_view{":]>*|)"}.find(line[next]) != line.npos) ||
            (start > 0 && std::string_view{"[<(*|"}.find(line[start - 1]) != line.npos) ||
            (is_capital && word.size() > 3 && (end == line.size() || line[end] == ' '));
        if (const auto kind = is_marked ? kind_of_word(std::string{word}) : std::nullopt) return kind;
        start = end;
    }
    return std::nullopt;
}

line_kind kind_of(const error_line& line, std::optional<line_kind> previous) {
    const std::string_view text{line.text};
    constexpr std::string_view sanitizer =
        "Sanitizer: ";  // "WARNING: ThreadSanitizer: data race" is no warning
    if (const auto found = text.find(sanitizer); found != text.npos)
        return text.substr(found + sanitizer.size()).starts_with("reported ") ? line_kind::aftermath
                                                                              : line_kind::fatal;
    if (has_any(text, note_parts) || is_of_machine(text) || is_of_glog(text, "IW")) return line_kind::note;
    if (is_of_glog(text, "F")) return line_kind::fatal;
    if (is_stack_frame(text) || has_any(text, aftermath_parts) || is_of_shell(text) || text == "Aborted" ||
        std::ranges::any_of(aftermath_starts, [&](auto each) { return text.starts_with(each); }))
        return line_kind::aftermath;
    const auto marked = marked_kind(text);
    if (marked == line_kind::note) return line_kind::note;
    if (has_any(text, fatal_parts)) return line_kind::fatal;
    if (is_progress(line)) return line_kind::note;
    if (text.starts_with(' ') && previous && *previous != line_kind::text)
        return std::min(*previous, line_kind::aftermath);
    if (marked) return *marked;
    const bool has_words =
        std::ranges::count_if(text, [](char c) { return is_letter(c) || (c & 0x80) != 0; }) > 1;
    return has_words ? line_kind::text : line_kind::note;
}

/// Returns the text of the line. Adds the next line if the message continues there.
std::string message_at(const std::vector<error_line>& lines, std::size_t at) {
    constexpr std::string_view thrown = "throwing an instance of '", what = "what(): ";
    const std::string_view text{lines[at].text};
    const std::string_view next{at + 1 < lines.size() ? std::string_view{lines[at + 1].text} : ""};
    const auto trimmed = [](std::string_view of) {
        const auto start = of.find_first_not_of(' ');
        return start == of.npos ? std::string_view{} : of.substr(start);
    };
    if (const auto type = text.find(thrown); type != text.npos) {
        const auto name = text.substr(type + thrown.size(), text.rfind('\'') - type - thrown.size());
        const auto message = next.find(what);
        return fmt::format("uncaught {}{}{}", name, message == next.npos ? "" : ": ",
                           message == next.npos ? "" : trimmed(next.substr(message + what.size())));
    }
    if (text.find("panicked at") != text.npos && text.ends_with(':'))
        return fmt::format("{} {}", text, trimmed(next));
    return std::string{trimmed(text)};
}

}  // namespace

std::string stated_cause(std::string_view standard_error) {
    const auto lines = lines_of(standard_error);
    std::optional<line_kind> previous, best;
    std::size_t place = 0;
    bool in_traceback = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        auto kind = kind_of(lines[i], previous);
        // The first line of a Python traceback that is not indented is the exception.
        if (in_traceback && !lines[i].text.starts_with(' ')) {
            kind = line_kind::fatal;
            in_traceback = false;
        }
        in_traceback |= lines[i].text.starts_with("Traceback (most recent call last)");
        previous = kind;
        if (kind == line_kind::note || (best && kind < *best)) continue;
        best = kind;
        place = i;
    }
    if (!best) return {};
    constexpr std::size_t bytes_max = 500;
    const auto message = message_at(lines, place);
    return message.size() <= bytes_max ? reports::valid_utf8(message)
                                       : reports::valid_utf8(message.substr(0, bytes_max)) + "...";
}

}  // namespace loopbench::bench
