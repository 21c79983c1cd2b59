// The functions that convert a struct to and from JSON. Both directions use one list of the struct's fields,
// which a function like this one returns:
//     constexpr auto fields_of(const ratio*) { return std::tuple(field{"to", &ratio::to}, ...); }
// The function must be in the struct's namespace. An enumeration needs names_of(). If a struct has further
// rules, check_fields(struct, node) checks them.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "reports/base/json_node.hpp"
#include "reports/model/json.hpp"

namespace loopbench::reports {

enum class presence {
    always,
    when_there,  // an empty optional is left out and not written as null
    null_when_empty
};

template <class owner, class value>
struct field {
    std::string_view name;
    value owner::*member;
    presence when = presence::always;
};
template <class owner, class value>
field(std::string_view, value owner::*, presence = presence::always) -> field<owner, value>;

template <class type>
inline constexpr bool is_optional = false;
template <class type>
inline constexpr bool is_optional<std::optional<type>> = true;
template <class type>
inline constexpr bool is_list = false;
template <class type>
inline constexpr bool is_list<std::vector<type>> = true;
template <class type, std::size_t size>
inline constexpr bool is_list<std::array<type, size>> = true;
template <class type>
inline constexpr bool is_map = false;
template <class type>
inline constexpr bool is_map<std::map<std::string, type>> = true;
template <class type>
concept listed = requires(const type* of) {
    fields_of(of);
};

/// Converts a struct, or a member of a struct, to JSON. Writes a duration in the unit at the end of its
/// field's name: in nanoseconds for `_ns`, and otherwise in seconds (`_s`).
template <class type>
nlohmann::ordered_json value_of(const type& from, std::string_view name = {}) {
    if constexpr (listed<type>) {
        auto all = nlohmann::ordered_json::object();
        const auto add = [&](const auto& each) {
            auto value = value_of(from.*each.member, each.name);
            if (each.when == presence::when_there && value.is_null()) return;
            if (each.when == presence::null_when_empty && value == "") value = nullptr;
            all[each.name] = std::move(value);
        };
        std::apply([&](const auto&... each) { (add(each), ...); }, fields_of(&from));
        return all;
    } else if constexpr (is_optional<type>) {
        return from ? value_of(*from, name) : nlohmann::ordered_json(nullptr);
    } else if constexpr (is_list<type>) {
        auto all = nlohmann::ordered_json::array();
        for (const auto& each : from) all.push_back(value_of(each));
        return all;
    } else if constexpr (is_map<type>) {
        auto all = nlohmann::ordered_json::object();
        for (const auto& [key, each] : from) all[key] = value_of(each);
        return all;
    } else if constexpr (std::same_as<type, std::chrono::nanoseconds>) {
        if (name.ends_with("_ns")) return from.count();
        return std::chrono::duration<double>{from}.count();
    } else if constexpr (std::is_enum_v<type>) {
        return names_of(from)[static_cast<std::size_t>(from)];
    } else if constexpr (std::same_as<type, double>) {
        return number_or_null(from);
    } else {
        return from;
    }
}

/// Reads a struct, or a member of a struct, from JSON. Throws format_error with the position of the error.
template <class type>
void read_into(type& to, const node& from, std::string_view name = {});

template <class type>
void read_fields(type& to, const node& from) {
    const auto take = [&]<class value>(const field<type, value>& each) {
        const auto found = from.find(each.name);
        if (!found && each.when == presence::when_there) return;
        const auto there = found ? *found : from.at(each.name);
        if (each.when == presence::null_when_empty && there.is_null())
            to.*each.member = value{};
        else
            read_into(to.*each.member, there, each.name);
    };
    std::apply([&](const auto&... each) { (take(each), ...); }, fields_of(&to));
    if constexpr (requires { check_fields(to, from); }) check_fields(to, from);
}

template <class type>
void read_into(type& to, const node& from, std::string_view name) {
    if constexpr (listed<type>) {
        read_fields(to, from);
    } else if constexpr (is_optional<type>) {
        if (from.is_null())
            to.reset();
        else
            read_into(to.emplace(), from, name);
    } else if constexpr (is_list<type>) {
        std::vector<typename type::value_type> all;
        all.reserve(from.size());
        from.each_element([&](const node& each) { read_into(all.emplace_back(), each); });
        if constexpr (std::same_as<type, decltype(all)>) {
            to = std::move(all);
        } else {
            if (all.size() != to.size()) from.fail("expected {} values", to.size());
            std::ranges::copy(all, to.begin());
        }
    } else if constexpr (is_map<type>) {
        to.clear();
        from.each_field([&](const std::string& key, const node& each) { read_into(to[key], each); });
    } else if constexpr (std::same_as<type, std::chrono::nanoseconds>) {
        constexpr double longest_s = 1e9;
        if (name.ends_with("_ns")) {
            to = type{from.count()};
            return;
        }
        const double seconds = from.number();
        if (!(seconds >= 0 && seconds <= longest_s)) from.fail("expected a number from 0 to {:g}", longest_s);
        to = std::chrono::duration_cast<type>(std::chrono::duration<double>{seconds});
    } else if constexpr (std::is_enum_v<type>) {
        to = from.one_of<type>(names_of(type{}));
    } else if constexpr (std::same_as<type, std::string>) {
        to = from.text();
    } else if constexpr (std::same_as<type, bool>) {
        to = from.flag();
    } else if constexpr (std::same_as<type, double>) {
        to = from.number();
    } else if constexpr (std::unsigned_integral<type>) {
        to = from.natural();
    } else if constexpr (std::signed_integral<type>) {
        to = static_cast<type>(std::min<std::int64_t>(from.count(), std::numeric_limits<type>::max()));
    } else {
        to = from.object();
    }
}

template <class type>
type read_value(const node& from) {
    type found{};
    read_into(found, from);
    return found;
}

}  // namespace loopbench::reports
