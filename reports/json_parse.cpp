// nlohmann's parser takes the text apart; one pass before it sees what that parser would let pass.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "reports/json.hpp"
#include "reports/json_node.hpp"

namespace loopbench::reports {

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t levels_max = 64;

[[noreturn]] void fail_at(std::string_view text, std::size_t offset, std::string_view cause) {
    throw format_error{fmt::format("{}: {}", position_in(text, offset), cause)};
}

/// Follows brackets and keys, and nothing else: whether the text is JSON is for the parser to say.
class shape_check {
public:
    explicit shape_check(std::string_view text) : text_{text} {}

    void run() {
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
    std::size_t at_ = 0;
    std::vector<level> open_;

    void open(bool is_object) {
        if (open_.size() == levels_max)
            fail_at(text_, at_, fmt::format("nested more than {} levels deep", levels_max));
        open_.push_back({is_object, is_object, {}});
    }

    void take_string() {
        const auto start = at_++;
        while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2U : 1U;
        at_ = std::min(at_ + 1, text_.size());
        if (open_.empty() || !open_.back().key_is_next) return;
        open_.back().key_is_next = false;
        if (!open_.back().keys.insert(text_.substr(start, at_ - start)).second)
            fail_at(text_, start,
                    fmt::format("the key {} is there twice", shortened(text_.substr(start, at_ - start))));
    }

    static std::string_view shortened(std::string_view key) { return key.substr(0, 60); }
};

/// The parser does not say where a number that is too large stands, only how it is spelled.
std::size_t place_of_number(std::string_view text, std::string_view message) {
    const auto first = message.find('\''), last = message.rfind('\'');
    if (first == std::string_view::npos || last <= first) return 0;
    const auto found = text.find(message.substr(first + 1, last - first - 1));
    return found == std::string_view::npos ? 0 : found;
}

}  // namespace

json parse_strictly(std::string_view text) {
    shape_check{text}.run();
    try {
        return json::parse(text);
    } catch (const json::parse_error& error) {
        fail_at(text, error.byte > 0 ? error.byte - 1 : 0, "not JSON, or cut short");
    } catch (const json::out_of_range& error) {
        fail_at(text, place_of_number(text, error.what()), "a number is too large");
    }
}

std::string position_in(std::string_view text, std::size_t offset) {
    const auto before = text.substr(0, std::min(offset, text.size()));
    const auto line = std::ranges::count(before, '\n') + 1;
    const auto last_break = before.rfind('\n');
    const auto column = last_break == std::string_view::npos ? before.size() + 1 : before.size() - last_break;
    return fmt::format("line {}, column {}", line, column);
}

}  // namespace loopbench::reports
