// nlohmann's parser takes the text apart; what it meets is put together here.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "reports/json/json.hpp"
#include "reports/json/json_node.hpp"

namespace loopbench::reports {

namespace {

using json = nlohmann::ordered_json;

/// The text for the parser; `at` is how far it has read, which it does not tell.
class read_position {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    read_position(const char* here, const char*& at) : here_{here}, at_{&at} {}
    reference operator*() const { return *here_; }
    read_position& operator++() {
        *at_ = ++here_;
        return *this;
    }
    bool operator==(const read_position& other) const { return here_ == other.here_; }

private:
    const char* here_;
    const char** at_;
};

/// Builds the document from what the parser meets (nlohmann's SAX interface), and refuses what it would let
/// pass. The parser's own builder with a callback looks through a whole list after each of its elements.
class builder {
public:
    json document;

    explicit builder(duplicates twice) : twice_{twice} {}

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(json::number_integer_t value) { return add(value); }
    bool number_unsigned(json::number_unsigned_t value) { return add(value); }
    bool number_float(json::number_float_t value, const std::string&) { return add(value); }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(json::binary_t& value) { return add(json::binary(std::move(value))); }
    bool start_object(std::size_t) {
        json::object_t fields;
        fields.reserve(fields_of_most);  // it grows by copying its keys
        return open(std::move(fields));
    }
    bool start_array(std::size_t) { return open(json::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        auto& inside = *open_.back();
        const auto keys = inside.size();
        next_ = &inside[name];
        if (inside.size() == keys && twice_ == duplicates::refused)
            throw format_error{"the key \"{}\" is there twice", shown(name)};
        if (inside.size() > json_keys_max)
            throw format_error{"an object of more than {} keys", json_keys_max};
        return true;
    }

    static bool parse_error(std::size_t, const std::string&, const json::exception& error) {
        constexpr int number_overflow = 406;
        throw format_error{error.id == number_overflow ? "a number is too large" : "not JSON, or cut short"};
    }

private:
    static constexpr std::size_t fields_of_most = 20;

    duplicates twice_;
    std::size_t values_ = 0;
    std::vector<json*> open_;  // lists and objects whose end is to come
    json* next_ = &document;   // where the next value goes, but in a list

    json* place(json value) {
        if (++values_ > json_values_max) throw format_error{"more than {} values", json_values_max};
        if (!open_.empty() && open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
        return &(*next_ = std::move(value));
    }

    bool add(json value) {
        place(std::move(value));
        return true;
    }

    bool open(json value) {
        if (open_.size() == json_levels_max)
            throw format_error{"nested more than {} levels deep", json_levels_max};
        open_.push_back(place(std::move(value)));
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }
};

}  // namespace

json parse_strictly(std::string_view text, duplicates twice, std::size_t first_line) {
    const char* at = text.data();
    builder built{twice};
    try {
        if (text.size() > json_bytes_max)
            throw format_error{"it has {} bytes, and the limit is {}", text.size(), json_bytes_max};
        json::sax_parse(read_position{text.data(), at}, read_position{text.data() + text.size(), at}, &built);
    } catch (const format_error& error) {
        const auto read = static_cast<std::size_t>(at - text.data());
        throw format_error{"{}: {}", position_in(text, read > 0 ? read - 1 : 0, first_line), error.what()};
    }
    return std::move(built.document);
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
