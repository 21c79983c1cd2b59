// Reading JSON that somebody else may have written, cut short or edited: every field is checked, and what is
// wrong is named by its place ("results[3].median").
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/files/posix_io.hpp"
#include "reports/json/json.hpp"

namespace loopbench::reports {

/// What parse_strictly() takes; far more than any report has. The parsed form of a value has up to 25 times
/// the size of its text, and a key is looked for among all the others of its object.
inline constexpr std::size_t json_levels_max = 64, json_values_max = 10'000'000, json_keys_max = 10'000,
                             json_bytes_max = file_bytes_max;

enum class duplicates { refused, allowed };

/// The document in `text`. Stricter than JSON, so that no file can make its reader guess, overflow the stack,
/// fill the memory or take for ever: no number beyond a double, the limits above and, unless that is allowed,
/// no key twice in an object. Throws format_error with line and column; lines count from `first_line`.
nlohmann::ordered_json parse_strictly(std::string_view text, duplicates twice = duplicates::refused,
                                      std::size_t first_line = 1);

/// A value in the document together with the way to it.
class node {
public:
    using json = nlohmann::ordered_json;

    /// The value must outlive the node.
    node(const json& value, std::string path) : value_{value}, path_{std::move(path)} {}

    [[nodiscard]] node at(const std::string& key) const {
        if (auto found = find(key)) return *found;
        fail("the field \"{}\" is missing", key);
    }

    /// The same, or nothing when there is no such field.
    [[nodiscard]] std::optional<node> find(const std::string& key) const {
        if (!value_.is_object()) mismatch("an object");
        const auto found = value_.find(key);
        if (found == value_.end()) return std::nullopt;
        return node{*found, path().empty() ? key : path() + "." + key};
    }

    /// All the fields of an object with their names.
    template <class function>
    void each_field(function take) const {
        for (const auto& [key, value] : object().items())
            take(key, node{value, path().empty() ? shown(key) : path() + "." + shown(key)});
    }

    /// What `convert` makes of each element of a list. The node that it is given lives as long as the call.
    template <class function>
    [[nodiscard]] auto each(function convert) const {
        if (!value_.is_array()) mismatch("a list");
        std::vector<decltype(convert(*this))> all;
        all.reserve(value_.size());
        for (std::size_t i = 0; i < value_.size(); ++i) all.push_back(convert(node{value_[i], *this, i}));
        return all;
    }

    [[nodiscard]] std::string text() const {
        if (!value_.is_string()) mismatch("a text");
        return value_.get<std::string>();
    }
    [[nodiscard]] bool flag() const {
        if (!value_.is_boolean()) mismatch("true or false");
        return value_.get<bool>();
    }
    [[nodiscard]] double number() const {
        if (!value_.is_number()) mismatch("a number");
        return value_.get<double>();
    }
    [[nodiscard]] std::uint64_t natural() const {
        if (!value_.is_number_unsigned()) mismatch("a whole number that is not negative");
        return value_.get<std::uint64_t>();
    }
    [[nodiscard]] std::int64_t count() const {
        constexpr std::uint64_t largest = INT64_MAX;
        return static_cast<std::int64_t>(std::min(natural(), largest));
    }
    [[nodiscard]] const json& object() const {
        if (!value_.is_object()) mismatch("an object");
        return value_;
    }

    template <class value, class names>
    [[nodiscard]] value one_of(const names& all) const {
        const auto found = std::ranges::find(all, text());
        if (found == all.end()) fail("\"{}\" is not one of {}", shown(text()), fmt::join(all, ", "));
        return static_cast<value>(found - all.begin());
    }

    /// Fails unless the document's field "schema" is that one.
    void require_schema(std::string_view known) const {
        const auto schema = at("schema");
        if (schema.text() != known)
            schema.fail("\"{}\" is not \"{}\", the one that this loopbench reads", shown(schema.text()),
                        known);
    }

    [[nodiscard]] bool is_null() const { return value_.is_null(); }

    [[noreturn]] void fail(const std::string& cause) const {
        throw format_error{path().empty() ? cause : fmt::format("{}: {}", path(), cause)};
    }
    template <class... part>
    requires(sizeof...(part) > 0)
        [[noreturn]] void fail(fmt::format_string<part...> text, part&&... parts) const {
        fail(fmt::format(text, std::forward<part>(parts)...));
    }

private:
    node(const json& value, const node& list, std::size_t index)
        : value_{value}, list_{&list}, index_{index} {}

    /// In words only when it is asked for: a journal has millions of numbers.
    [[nodiscard]] const std::string& path() const {
        if (list_ != nullptr) path_ = fmt::format("{}[{}]", list_->path(), index_);
        list_ = nullptr;
        return path_;
    }

    [[noreturn]] void mismatch(std::string_view expected) const {
        fail("expected {}, found {}", expected, value_.type_name());
    }

    const json& value_;
    mutable std::string path_;
    mutable const node* list_ = nullptr;  // that this is an element of, while path_ is not there yet
    std::size_t index_ = 0;
};

/// The environment as reports and journals have it.
environment read_environment(const node& from);

}  // namespace loopbench::reports
