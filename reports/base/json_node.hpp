// A reader for JSON texts that might be truncated, edited or written by another program. An error message
// contains the path of the wrong field ("results[3].median").
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "reports/base/posix_io.hpp"
#include "reports/model/json.hpp"

namespace loopbench::reports {

/// The limits of a JSON document, far above the needs of any report. They limit the memory, because the
/// parsed values take up to 25 times the size of their text, and the time, because each key is compared with
/// all other keys of its object.
inline constexpr std::size_t json_levels_max = 64, json_values_max = 10'000'000, json_keys_max = 10'000,
                             json_bytes_max = file_bytes_max;

/// The treatment of a key that occurs twice in an object.
enum class duplicates { refused, first_counts };

struct json_list {
    std::size_t size = 0;
};
struct json_object {};

/// A value in a document's array of values. The elements of a list or an object directly follow it in this
/// array; `end` is the index after the last of them.
struct json_value {
    std::variant<std::nullptr_t, bool, std::uint64_t, std::int64_t, double, std::string_view, json_list,
                 json_object>
        is;
    std::size_t end = 0;
    std::string_view key = {};  // only set for the fields of an object
};

class node;

struct reading {
    duplicates twice = duplicates::refused;
    std::size_t first_line = 1;   // the number of the text's first line in its file
    std::size_t room_behind = 0;  // readable bytes after the text; the text is copied if they are too few
};

/// A parsed JSON text. Its rules are stricter than JSON's, so that no file can overflow the stack, fill the
/// memory or take an unlimited time: numbers must fit into a double, the limits above apply, and a key must
/// not occur twice in an object unless `twice` allows it.
class document {
public:
    /// Parses `text`. Throws format_error with the line and the column of the error.
    explicit document(std::string_view text, const reading& how = {});
    /// Returns the root value, which is valid as long as the document exists.
    [[nodiscard]] node root() const;

private:
    std::shared_ptr<const void> texts_;  // owns the memory of all texts and keys
    std::vector<json_value> values_;
};

/// Returns `text` as a tree that can be changed. Throws the same errors as the constructor of document.
nlohmann::ordered_json parse_strictly(std::string_view text, duplicates twice = duplicates::refused);

class node {
public:
    node(std::span<const json_value> all, std::size_t at) : all_{all}, at_{at} {}

    [[nodiscard]] node at(std::string_view key) const {
        if (auto found = find(key)) return *found;
        fail("the field \"{}\" is missing", key);
    }

    [[nodiscard]] std::optional<node> find(std::string_view key) const;

    template <class function>
    void each_field(function take) const {
        require<json_object>("an object");
        for (auto i = at_ + 1; i < value().end; i = all_[i].end)
            take(std::string{all_[i].key}, node{all_, i});
    }

    [[nodiscard]] std::size_t size() const { return require<json_list>("a list").size; }

    template <class function>
    void each_element(function take) const {
        require<json_list>("a list");
        for (auto i = at_ + 1; i < value().end; i = all_[i].end) take(node{all_, i});
    }

    template <class function>
    [[nodiscard]] auto each(function convert) const {
        std::vector<decltype(convert(*this))> all;
        all.reserve(size());
        each_element([&](const node& element) { all.push_back(convert(element)); });
        return all;
    }

    [[nodiscard]] std::string text() const { return std::string{require<std::string_view>("a text")}; }
    [[nodiscard]] bool flag() const { return require<bool>("true or false"); }
    [[nodiscard]] double number() const {
        if (const auto* whole = std::get_if<std::uint64_t>(&value().is)) return static_cast<double>(*whole);
        if (const auto* whole = std::get_if<std::int64_t>(&value().is)) return static_cast<double>(*whole);
        return require<double>("a number");
    }
    [[nodiscard]] std::uint64_t natural() const {
        return require<std::uint64_t>("a whole number that is not negative");
    }
    [[nodiscard]] std::int64_t count() const {
        constexpr std::uint64_t largest = INT64_MAX;
        return static_cast<std::int64_t>(std::min(natural(), largest));
    }
    [[nodiscard]] nlohmann::ordered_json object() const {
        require<json_object>("an object");
        return tree();
    }
    /// Returns the value as a tree. If a key occurs twice in an object, the tree contains its first value.
    [[nodiscard]] nlohmann::ordered_json tree() const;

    template <class value, class names>
    [[nodiscard]] value one_of(const names& all) const {
        const auto found = std::ranges::find(all, require<std::string_view>("a text"));
        if (found == all.end()) fail("\"{}\" is not one of {}", shown(text()), fmt::join(all, ", "));
        return static_cast<value>(found - all.begin());
    }

    [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(value().is); }
    [[nodiscard]] bool is_text() const { return std::holds_alternative<std::string_view>(value().is); }
    [[nodiscard]] bool is_list() const { return std::holds_alternative<json_list>(value().is); }
    [[nodiscard]] bool is_object() const { return std::holds_alternative<json_object>(value().is); }
    [[nodiscard]] bool is_number() const {
        return std::visit(
            []<class type>(const type&) { return std::is_arithmetic_v<type> && !std::is_same_v<type, bool>; },
            value().is);
    }

    [[noreturn]] void fail(const std::string& cause) const {
        const auto place = path();
        throw format_error{place.empty() ? cause : fmt::format("{}: {}", place, cause)};
    }
    template <class... part>
    requires(sizeof...(part) > 0)
        [[noreturn]] void fail(fmt::format_string<part...> text, part&&... parts) const {
        fail(fmt::format(text, std::forward<part>(parts)...));
    }

private:
    [[nodiscard]] const json_value& value() const { return all_[at_]; }

    template <class type>
    const type& require(std::string_view expected) const {
        if (const auto* found = std::get_if<type>(&value().is)) return *found;
        mismatch(expected);
    }
    [[noreturn]] void mismatch(std::string_view expected) const;

    /// Returns the path of the value, for example "results[3].median".
    [[nodiscard]] std::string path() const;

    std::span<const json_value> all_;
    std::size_t at_;
    mutable std::size_t next_ = at_ + 1;  // the index at which the next find() begins
};

inline node document::root() const {
    return {values_, 0};
}

environment read_environment(const node& from);
std::vector<slowdown_cause> read_causes(const node& from);

}  // namespace loopbench::reports
