// nlohmann's parser takes the text apart; one pass before it sees what that parser would let pass.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "reports/json.hpp"
#include "reports/json_node.hpp"

namespace loopbench::reports {

namespace {

using json = nlohmann::ordered_json;

[[noreturn]] void fail_at(std::string_view text, std::size_t offset, std::size_t first_line,
                          std::string_view cause) {
    throw format_error{fmt::format("{}: {}", position_in(text, offset, first_line), cause)};
}

/// Follows brackets, keys and commas, and nothing else: whether the text is JSON is for the parser to say.
class shape_check {
public:
    shape_check(std::string_view text, duplicates twice, std::size_t first_line)
        : text_{text}, twice_{twice}, first_line_{first_line} {}

    void run() {
        if (text_.size() > json_bytes_max)
            fail(0, fmt::format("it has {} bytes, and the limit is {}", text_.size(), json_bytes_max));
        while (at_ < text_.size()) {
            switch (text_[at_]) {
                case '"':
                    take_string();
                    continue;
                case '{':
                case '[':
                    open(text_[at_] == '{');
                    break;
                case '}':
                case ']':
                    if (!open_.empty()) open_.pop_back();
                    break;
                case ',':
                    count_value();
                    if (!open_.empty()) open_.back().key_is_next = open_.back().is_object;
                    break;
                default:
                    break;
            }
            ++at_;
        }
    }

private:
    struct level {
        bool is_object, key_is_next;
        std::set<std::string_view> keys;
    };

    std::string_view text_;
    duplicates twice_;
    std::size_t first_line_, at_ = 0, values_ = 0;
    std::deque<std::string> decoded_;  // keys that are spelled with escapes
    std::vector<level> open_;

    /// There are at most as many values as commas and brackets together.
    void count_value() {
        if (++values_ > json_values_max) fail(at_, fmt::format("more than {} values", json_values_max));
    }

    void open(bool is_object) {
        count_value();
        if (open_.size() == json_levels_max)
            fail(at_, fmt::format("nested more than {} levels deep", json_levels_max));
        open_.push_back({is_object, is_object, {}});
    }

    void take_string() {
        const auto start = at_++;
        while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2U : 1U;
        at_ = std::min(at_ + 1, text_.size());
        if (open_.empty() || !open_.back().key_is_next) return;
        open_.back().key_is_next = false;
        auto& keys = open_.back().keys;
        const auto key = text_.substr(start, at_ - start);
        if (!keys.insert(without_escapes(key)).second && twice_ == duplicates::refused)
            fail(start, fmt::format("the key {} is there twice", shown(key)));
        if (keys.size() > json_keys_max)
            fail(start, fmt::format("an object of more than {} keys", json_keys_max));
    }

    /// "a" and "\u0061" are one key.
    std::string_view without_escapes(std::string_view key) {
        if (key.find('\\') == std::string_view::npos) return key;
        return decoded_.emplace_back(
            json::parse(key, nullptr, false).dump(-1, ' ', false, json::error_handler_t::replace));
    }

    [[noreturn]] void fail(std::size_t offset, std::string_view cause) const {
        fail_at(text_, offset, first_line_, cause);
    }
};

/// The parser does not say where a number that is too large stands, only how it is spelled.
std::size_t place_of_number(std::string_view text, std::string_view message) {
    const auto first = message.find('\''), last = message.rfind('\'');
    if (first == std::string_view::npos || last <= first) return 0;
    const auto found = text.find(message.substr(first + 1, last - first - 1));
    return found == std::string_view::npos ? 0 : found;
}

}  // namespace

void check_limits(std::string_view text, duplicates twice, std::size_t first_line) {
    shape_check{text, twice, first_line}.run();
}

json parse_strictly(std::string_view text, std::size_t first_line) {
    check_limits(text, duplicates::refused, first_line);
    try {
        return json::parse(text);
    } catch (const json::parse_error& error) {
        fail_at(text, error.byte > 0 ? error.byte - 1 : 0, first_line, "not JSON, or cut short");
    } catch (const json::out_of_range& error) {
        fail_at(text, place_of_number(text, error.what()), first_line, "a number is too large");
    }
}

std::string shown(std::string_view text) {
    constexpr std::size_t bytes_max = 60;
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    auto length = std::min(text.size(), bytes_max);
    while (length < text.size() && length > 0 && continues(text[length])) --length;
    std::string first{text.substr(0, length)};
    std::ranges::replace_if(
        first, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    return length < text.size() ? first + "..." : first;
}

std::string position_in(std::string_view text, std::size_t offset, std::size_t first_line) {
    const auto before = text.substr(0, std::min(offset, text.size()));
    const auto line = first_line + static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const auto last_break = before.rfind('\n');
    const auto column = last_break == std::string_view::npos ? before.size() + 1 : before.size() - last_break;
    return fmt::format("line {}, column {}", line, column);
}

}  // namespace loopbench::reports
