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
    aftermath,  // printed after a failure or as its details; a cause only if there is no other line
    text,
    fatal  // printed by a program that cannot continue
};

struct error_line {
    std::string text;
    bool is_rewritten;  // a carriage return precedes or ends it, as with a progress bar
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

/// Returns the length of the escape sequence with which the text begins, for example a colour, or 0.
std::size_t terminal_sequence(std::string_view text) {
    if (text.size() < 2 || text[0] != '\033') return 0;
    if (std::string_view{"()*+# %"}.find(text[1]) != text.npos) return std::min<std::size_t>(3, text.size());
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

/// Removes the frame that Python draws around the exceptions of a group: "  | ValueError: no input".
void remove_frame(std::string& line) {
    if (line.starts_with("  ") && line.find_first_of("|+") == line.find_first_not_of(' '))
        line.erase(0, line.find_first_not_of(" |+-"));
}

std::vector<error_line> lines_of(std::string_view text) {
    std::vector<error_line> all;
    bool after_return = false;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of("\r\n"), text.size());
        auto line = without_control_characters(text.substr(0, end));
        remove_frame(line);
        text.remove_prefix(end);
        const bool ends_line = text.starts_with("\r\n") || text.starts_with('\n') || text.empty();
        if (!line.empty()) all.push_back({std::move(line), after_return || !ends_line});
        after_return = !ends_line;
        text.remove_prefix(std::min<std::size_t>(text.size(), text.starts_with("\r\n") ? 2 : 1));
    }
    return all;
}

/// Returns the number that ends at `end`, or nothing. Ignores the numbers of a path or a date.
std::optional<unsigned long> number_before(std::string_view text, std::size_t end) {
    auto start = end;
    while (start > 0 && is_digit(text[start - 1])) --start;
    if (start == end || end - start > 9 || (start > 0 && text[start - 1] == '/')) return std::nullopt;
    return std::stoul(std::string{text.substr(start, end - start)});
}

/// Returns true for lines such as "[####  ] 40%" and "12/80 files" that a program rewrites in place.
bool is_progress(const error_line& line) {
    if (!line.is_rewritten) return false;
    const std::string_view text{line.text};
    for (auto at = text.find_first_of("%/"); at != text.npos; at = text.find_first_of("%/", at + 1)) {
        const auto done = number_before(text, text.substr(0, at).find_last_not_of(' ') + 1);
        if (!done) continue;
        if (text[at] == '%') return true;
        const auto end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
        if (end == at + 1 || end - at > 9 || text.substr(end).starts_with('/')) continue;
        if (*done <= std::stoul(std::string{text.substr(at + 1, end - at - 1)})) return true;
    }
    return false;
}

/// Returns true for "W0101 12:00:00.000000 7 file.cc:8] text" (glog, Abseil) whose first letter is one of
/// `letters`.
bool is_of_glog(std::string_view line, std::string_view letters) {
    return line.size() > 5 && letters.find(line[0]) != letters.npos &&
           std::ranges::all_of(line.substr(1, 4), is_digit) && line[5] == ' ' && line.find("] ") != line.npos;
}

constexpr auto fatal_parts = std::to_array<std::string_view>({"terminate called",
                                                              "terminating due to uncaught",
                                                              "terminating with uncaught",
                                                              "Assertion `",
                                                              "Assertion failed",
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

/// Notes of Google Benchmark and Node.js that have no mark such as "warning:".
constexpr auto note_parts = std::to_array<std::string_view>(
    {"Value passed to --benchmark_min_time should have a suffix", "Unable to determine clock rate",
     "This does not affect benchmark measurements", "to show where the warning was created"});

constexpr auto aftermath_parts = std::to_array<std::string_view>(
    {"(core dumped)", "Abort trap: ", "==ABORTING", "Received signal ", "*** Aborted at ", "PC: @",
     "Check failure stack trace", "Traceback (most recent call last)", "Command exited with ", ": *** ["});
constexpr auto aftermath_starts =
    std::to_array<std::string_view>({"goroutine ", "exit status ", "Try '", "Usage:", "usage:", "*** SIG"});
/// Words that a shell prints, alone in a line, about a program that a signal has ended.
constexpr auto ends_by_signal =
    std::to_array<std::string_view>({"Aborted", "Segmentation fault", "Killed", "Terminated"});

/// Returns true for the lines in which Google Benchmark describes the machine, and for those of its log.
bool is_of_google_benchmark(std::string_view line) {
    return (line.starts_with("Run on (") && line.find(" CPU") != line.npos) || line == "CPU Caches:" ||
           (line.starts_with("  L") && line.find("iB (x") != line.npos) ||
           line.starts_with("Load Average: ") || (line.starts_with("--") && line.find("LOG(") != line.npos) ||
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
    if (line.find(": line ") == line.npos) return false;
    return std::ranges::any_of(ends_by_signal, [padded = fmt::format("{} ", line)](auto each) {
        return padded.find(fmt::format(" {} ", each)) != padded.npos;
    });
}

bool means_note(std::string word) {
    std::ranges::transform(word, word.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    constexpr auto notes = std::to_array<std::string_view>(
        {"warn", "note", "info", "notice", "hint", "debug", "trace", "verbose"});
    return word.ends_with("warning") || std::ranges::find(notes, word) != notes.end();
}

/// Returns the position after the timestamp with which the line begins, and after further signs such as
/// "***" and "[".
std::size_t start_of_words(std::string_view line) {
    const auto after_time = line.find_first_not_of("0123456789-:.,+TZ /");
    const bool has_time = after_time != line.npos && after_time > 0 && is_digit(line[0]);
    return std::min(line.find_first_not_of("*-=>[<(| ", has_time ? after_time : 0), line.size());
}

/// Returns true if a mark says that the line is a warning or a note: a word at the start, as in "note: x",
/// "***WARNING*** x" and "DEBUG x", in brackets of its own, as in "[warn] x", or after a place, as in
/// "bench.py:4: UserWarning: x". The same word within a name or a sentence is no mark.
bool is_marked_as_note(std::string_view line) {
    constexpr std::size_t mark_bytes_max = 200;
    line = line.substr(0, mark_bytes_max);
    const auto first = start_of_words(line);
    for (std::size_t start = first; start < line.size();) {
        if (!is_letter(line[start])) {
            ++start;
            continue;
        }
        auto end = start;
        while (end < line.size() && is_letter(line[end])) ++end;
        const auto word = line.substr(start, end - start);
        const auto before = line.substr(0, start), after = line.substr(end);
        const bool is_capital = std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
        const bool ends_mark =
            (after.starts_with(':') && !after.starts_with("::")) || after.starts_with(" #");
        const bool is_at_start = start == first && (ends_mark || after.find_first_of("]>*|)") == 0 ||
                                                    (is_capital && (after.empty() || after[0] == ' ')));
        const bool is_bracketed = (before.ends_with('[') && after.starts_with(']')) ||
                                  (before.ends_with('<') && after.starts_with('>'));
        const bool is_after_place =
            ends_mark && (before.ends_with(": ") || before.ends_with("] ") || before.ends_with(") "));
        if ((is_at_start || is_bracketed || is_after_place) && means_note(std::string{word})) return true;
        start = end;
    }
    return false;
}

bool is_fatal(std::string_view line) {
    return has_any(line, fatal_parts) || is_of_glog(line, "F") ||
           (line.find("Check `") != line.npos && line.find("' failed") != line.npos);
}

line_kind kind_of(const error_line& line, std::optional<line_kind> previous) {
    const std::string_view text{line.text};
    constexpr std::string_view sanitizer =
        "Sanitizer: ";  // "WARNING: ThreadSanitizer: data race" is no warning
    if (const auto found = text.find(sanitizer); found != text.npos)
        return text.substr(found + sanitizer.size()).starts_with("reported ") ? line_kind::aftermath
                                                                              : line_kind::fatal;
    if (is_of_glog(text, "IW")) return line_kind::note;
    if (is_fatal(text)) return line_kind::fatal;
    if (has_any(text, note_parts) || is_of_google_benchmark(text)) return line_kind::note;
    if (is_stack_frame(text) || has_any(text, aftermath_parts) || is_of_shell(text) ||
        std::ranges::find(ends_by_signal, text) != ends_by_signal.end() ||
        std::ranges::any_of(aftermath_starts, [&](auto each) { return text.starts_with(each); }))
        return line_kind::aftermath;
    if (is_marked_as_note(text) || is_progress(line)) return line_kind::note;
    if (text.starts_with(' ') && previous && *previous != line_kind::text) return line_kind::aftermath;
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
    bool is_ignored = false;  // the lines are a traceback of an exception that Python ignores
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view line{lines[i].text};
        auto kind = kind_of(lines[i], previous);
        const bool begins = line.starts_with("Exception ignored in");
        is_ignored |= begins;
        if (is_ignored) kind = std::min(kind, line_kind::aftermath);
        // The first line of a traceback that is not indented is the exception.
        if (!begins && !line.starts_with(' ') && !line.starts_with("Traceback")) is_ignored = false;
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
