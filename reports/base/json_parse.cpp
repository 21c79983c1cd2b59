// The JSON parser of json_node.hpp, which uses simdjson.
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "reports/base/json_node.hpp"
#include "reports/model/json.hpp"

namespace loopbench::reports {

namespace {

namespace ondemand = simdjson::ondemand;
using json = nlohmann::ordered_json;

class builder {
public:
    builder(std::vector<json_value>& to, duplicates twice) : all_{to}, twice_{twice} {}

    template <class source>
    void add(source& from, std::string_view key = {}) {
        if (all_.size() == json_values_max)
            throw format_error{"the text has more than {} values, which is the limit", json_values_max};
        const auto place = all_.size();
        all_.push_back({nullptr, 0, key});
        switch (from.type()) {
            case ondemand::json_type::array:
                enter(place, json_list{});
                for (auto each : from.get_array()) {
                    add(each);
                    ++std::get<json_list>(all_[place].is).size;
                }
                --levels_;
                break;
            case ondemand::json_type::object:
                enter(place, json_object{});
                add_fields(place, from.get_object().value());
                --levels_;
                break;
            case ondemand::json_type::number:
                add_number(place, from);
                break;
            case ondemand::json_type::string:
                all_[place].is = from.get_string().value();
                break;
            case ondemand::json_type::boolean:
                all_[place].is = from.get_bool().value();
                break;
            case ondemand::json_type::null:
                if (!from.is_null()) throw simdjson::simdjson_error{simdjson::N_ATOM_ERROR};
                break;
            default:  // simdjson 4 has a type for values that are not JSON
                throw simdjson::simdjson_error{simdjson::TAPE_ERROR};
        }
        all_[place].end = all_.size();
    }

private:
    template <class kind>
    void enter(std::size_t place, kind is) {
        if (++levels_ > json_levels_max)
            throw format_error{"the text is nested more than {} levels deep", json_levels_max};
        all_[place].is = is;
    }

    void add_fields(std::size_t object, ondemand::object from) {
        std::size_t keys = 0;
        for (auto field : from) {
            const std::string_view key = field.unescaped_key();
            if (twice_ == duplicates::refused)
                for (auto i = object + 1; i < all_.size(); i = all_[i].end)
                    if (all_[i].key == key) throw format_error{"the key \"{}\" occurs twice", shown(key)};
            if (++keys > json_keys_max) throw format_error{"an object has more than {} keys", json_keys_max};
            auto value = field.value();
            add(value, key);
        }
    }

    /// Adds a number. A whole number that fits into no integer type becomes the nearest double.
    template <class source>
    void add_number(std::size_t place, source& from) {
        std::uint64_t natural = 0;
        std::int64_t integer = 0;
        if (!from.is_integer())
            all_[place].is = double_in(from);
        else if (from.get_uint64().get(natural) == simdjson::SUCCESS)
            all_[place].is = natural;
        else if (from.get_int64().get(integer) == simdjson::SUCCESS)
            all_[place].is = integer;
        else
            all_[place].is = double_in(from);
    }

    /// Converts a number to a double. Uses strtod() if the number is long, because simdjson (3.0.1) reads
    /// numbers with more than 19 digits wrongly.
    template <class source>
    static double double_in(source& from) {
        constexpr std::size_t bytes_of_19_digits = std::string_view{"0."}.size() + 19;
        const std::string_view text = from.raw_json_token();  // includes the whitespace after the number
        const double found = from.get_double().value();
        if (text.find_last_not_of(" \n\r\t") < bytes_of_19_digits) return found;
        const double exact = std::strtod(text.data(), nullptr);  // reads no further than the padding
        if (std::isinf(exact)) throw simdjson::simdjson_error{simdjson::NUMBER_ERROR};
        return exact;
    }

    std::vector<json_value>& all_;
    duplicates twice_;
    std::size_t levels_ = 0;
};

std::string_view without_mark(std::string_view text) {
    constexpr std::string_view byte_order_mark{"\xEF\xBB\xBF"};
    return text.substr(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}

/// Returns the offset of the first line that contains invalid UTF-8. simdjson reports only that the text is
/// invalid, not where.
std::size_t first_line_of_other_bytes(std::string_view text) {
    std::size_t begin = 0;
    while (begin < text.size()) {
        const auto line = text.substr(begin, text.find('\n', begin) - begin);
        if (!simdjson::validate_utf8(line)) break;
        begin += line.size() + 1;
    }
    return begin;
}

}  // namespace

document::document(std::string_view whole, const reading& how) {
    const auto text = without_mark(whole);
    const auto refuse = [&](std::size_t offset, std::string_view cause) {
        throw format_error{"{}: {}", position_in(text, offset, how.first_line), cause};
    };
    if (text.size() > json_bytes_max)
        refuse(0, fmt::format("the text has {} bytes; the limit is {}", text.size(), json_bytes_max));
    simdjson::padded_string copy;
    simdjson::padded_string_view json{text, text.size() + how.room_behind};
    if (json.padding() < simdjson::SIMDJSON_PADDING) json = copy = simdjson::padded_string{text};
    const auto parser = std::make_shared<ondemand::parser>();
    texts_ = parser;  // keeps the parser, which owns the unescaped texts, alive
    constexpr std::size_t bytes_of_most_values = 16;
    values_.reserve(std::min(text.size() / bytes_of_most_values + 1, json_values_max));
    ondemand::document from;
    // Apart from invalid UTF-8, iterate() usually fails because the text ends inside a string. The error
    // message therefore gives the end of the text as the position.
    if (const auto error = parser->iterate(json).get(from); error == simdjson::UTF8_ERROR)
        refuse(first_line_of_other_bytes(text), "invalid UTF-8");
    else if (error != simdjson::SUCCESS)
        refuse(text.size(), "invalid or incomplete JSON");
    const auto here = [&] {
        const char* at = nullptr;
        if (from.current_location().get(at) != simdjson::SUCCESS) return text.size();
        return std::min(static_cast<std::size_t>(at - json.data()), text.size());
    };
    try {
        if (from.is_scalar()) throw format_error{"expected an object or a list"};
        builder{values_, how.twice}.add(from);
        if (from.current_location().error() == simdjson::SUCCESS)
            throw simdjson::simdjson_error{simdjson::TRAILING_CONTENT};
    } catch (const format_error& error) {
        refuse(here(), error.what());
    } catch (const simdjson::simdjson_error& error) {
        const bool is_number = error.error() == simdjson::NUMBER_ERROR;
        const bool is_cut = error.error() == simdjson::INCOMPLETE_ARRAY_OR_OBJECT;
        refuse(is_cut ? text.size() : here(),
               is_number ? "invalid number, or a number that is too large" : "invalid or incomplete JSON");
    }
}

json parse_strictly(std::string_view text, duplicates twice) {
    return document{text, {.twice = twice}}.root().tree();
}

std::string in_one_line(std::string text) {
    const auto from = without_mark(text);
    std::size_t bytes = 0;
    if (const auto error = simdjson::minify(from.data(), from.size(), text.data(), bytes))
        throw format_error{"invalid JSON: {}", simdjson::error_message(error)};
    text.resize(bytes);
    return text;
}

std::optional<node> node::find(std::string_view key) const {
    require<json_object>("an object");
    // The search starts after the field that the previous search found, because most callers request fields
    // in the order of the text.
    for (auto [i, end] : {std::pair{next_, value().end}, std::pair{at_ + 1, next_}})
        for (; i < end; i = all_[i].end)
            if (all_[i].key == key) {
                next_ = all_[i].end;
                return node{all_, i};
            }
    return std::nullopt;
}

json node::tree() const {
    if (std::holds_alternative<json_object>(value().is)) {
        auto fields = json::object();
        // emplace() keeps the first value if a key occurs twice.
        each_field([&](const std::string& key, const node& each) { fields.emplace(key, each.tree()); });
        return fields;
    }
    if (std::holds_alternative<json_list>(value().is))
        return each([](const node& element) { return element.tree(); });
    return std::visit(
        []<class type>(const type& scalar) -> json {
            if constexpr (std::is_same_v<type, json_list> || std::is_same_v<type, json_object>)
                return nullptr;
            else
                return scalar;
        },
        value().is);
}

void node::mismatch(std::string_view expected) const {
    constexpr std::array<std::string_view, 8> names{"null",   "boolean", "number", "number",
                                                    "number", "string",  "array",  "object"};
    fail("expected {}, found {}", expected, names[value().is.index()]);
}

std::string node::path() const {
    std::string path;
    for (std::size_t inside = 0; inside != at_;) {
        const bool is_list = std::holds_alternative<json_list>(all_[inside].is);
        std::size_t number = 0, next = inside + 1;
        for (; all_[next].end <= at_; next = all_[next].end) ++number;
        inside = next;
        if (is_list)
            path += fmt::format("[{}]", number);
        else
            path += (path.empty() ? "" : ".") + shown(all_[next].key);
    }
    return path;
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
