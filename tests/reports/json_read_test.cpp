// Tests the reading of JSON from third-party programs.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <functional>

#include "reports/base/json_node.hpp"
#include "reports/model/json.hpp"
#include "tests/support/sample_report.hpp"
#include "tests/support/says.hpp"

namespace loopbench::tests {

namespace {

using nlohmann::ordered_json;

std::string reader_complaint(const std::string& text) {
    return complaint_of<reports::format_error>([&] { reports::read_json(text, "report.json"); });
}

std::string complaint_after(const std::function<void(ordered_json&)>& change) {
    auto document = reports::to_json(sample_report());
    change(document);
    return reader_complaint(reports::dump(document));
}

TEST(json_read, a_written_report_is_read_back_unchanged) {
    const auto text = reports::write_json(sample_report());
    EXPECT_EQ(reports::write_json(reports::read_json(text, "it")), text);
}

TEST(json_read, spare_capacity_of_a_text_does_not_change_the_report_that_is_read) {
    for (const std::string_view mark : {"", "\xEF\xBB\xBF"}) {
        auto text = std::string{mark} + reports::dump(reports::to_json(sample_report()));
        text.shrink_to_fit();
        const auto read = reports::read_json(text, "it");
        text.reserve(2 * text.size());
        EXPECT_EQ(reports::write_json(reports::read_json(text, "it")), reports::write_json(read));
    }
}

// minify() writes its result over its input, but simdjson's documentation does not state that this is
// allowed. The test therefore checks every variant of minify() that this processor can run.
TEST(json_read, json_is_minified_to_the_same_text_on_every_processor) {
    const auto* const chosen = simdjson::get_active_implementation().operator->();
    for (const auto* one : simdjson::get_available_implementations()) {
        if (!one->supported_by_runtime_system()) continue;
        simdjson::get_active_implementation() = one;
        for (const std::string_view mark : {"", "\xEF\xBB\xBF"})
            EXPECT_EQ(reports::in_one_line(std::string{mark} + reports::write_json(sample_report())),
                      reports::dump(reports::to_json(sample_report())))
                << one->name();
    }
    simdjson::get_active_implementation() = chosen;
}

TEST(json_read, a_report_without_floors_is_read_without_multiples_of_the_floor) {
    auto document = reports::to_json(sample_report());
    for (auto& item : document["results"]) item["times_floor"] = nullptr;
    for (const auto& item : reports::read_json(reports::dump(document), "it").results)
        EXPECT_FALSE(item.times_floor);
    EXPECT_SAYS(complaint_after([](ordered_json& changed) { changed["results"][2]["times_floor"] = 1.08; }),
                "report.json is not a report: results[2].times_floor: expected an object, found number");
}

TEST(json_read, every_truncated_report_is_refused) {
    const auto text = reports::dump(reports::to_json(sample_report()));
    for (std::size_t length = 0; length < text.size(); length += 7)
        EXPECT_SAYS(reader_complaint(text.substr(0, length)), "incomplete JSON") << length;
}

TEST(json_read, a_syntax_error_is_reported_with_its_line_and_column) {
    EXPECT_SAYS(reader_complaint("{\n  \"schema\": oops}"), "line 2, column 13");
}

TEST(json_read, a_missing_field_is_reported_with_its_path) {
    const auto text = complaint_after([](ordered_json& document) { document["results"][2].erase("unit"); });
    EXPECT_SAYS(text, "results[2]: the field \"unit\" is missing");
}

TEST(json_read, a_field_of_the_wrong_type_is_reported_with_its_path) {
    const auto text =
        complaint_after([](ordered_json& document) { document["results"][0]["median"] = "fast"; });
    EXPECT_SAYS(text, "results[0].median: expected a number, found string");
}

TEST(json_read, an_error_about_an_unknown_status_lists_the_known_statuses) {
    const auto text =
        complaint_after([](ordered_json& document) { document["results"][0]["status"] = "fine"; });
    EXPECT_SAYS(text, "\"fine\" is not one of ok, unsupported, failed");
}

TEST(json_read, a_negative_count_is_refused) {
    EXPECT_FALSE(complaint_after([](ordered_json& document) { document["seed"] = -1; }).empty());
    EXPECT_FALSE(
        complaint_after([](ordered_json& document) { document["environment"]["cores"] = -2; }).empty());
}

TEST(json_read, valid_json_that_is_not_a_report_is_refused) {
    for (const auto* text : {"[]", "3", "null", "{}", "\"text\"", "[[[[[[[[", "1e999"})
        EXPECT_FALSE(reader_complaint(text).empty()) << text;
}

TEST(json_read, deep_nesting_is_refused_before_it_overflows_the_stack) {
    const auto text =
        reader_complaint("{\n \"x\": " + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}");
    EXPECT_SAYS(text, "line 2, column 70: the text is nested more than 64 levels deep");
}

TEST(json_read, an_object_with_too_many_keys_and_a_text_that_is_too_long_are_refused) {
    std::string keys;
    for (std::size_t i = 0; i <= reports::json_keys_max; ++i) keys += fmt::format("\"k{}\":0,", i);
    EXPECT_SAYS(reader_complaint("{\n" + keys + "\"last\":0}"), "line 2, column ");
    EXPECT_SAYS(reader_complaint("{\n" + keys + "\"last\":0}"), "an object has more than 10000 keys");
    // The name alone is as long as the limit, so the whole text exceeds the limit.
    const std::string name(reports::json_bytes_max, 'x');
    EXPECT_SAYS(reader_complaint("{\"schema\": \"" + name + "\"}"),
                "line 1, column 1: the text has 268435470 bytes");
}

TEST(json_read, a_duplicate_key_is_refused_even_if_it_is_escaped_differently) {
    EXPECT_SAYS(reader_complaint("{\"a\": 0,\n \"a\": 1}"), "line 2, column 7: the key \"a\"");
    EXPECT_SAYS(reader_complaint(R"({"a": 0, "\u0061": 1})"), "twice");
    EXPECT_SAYS(reader_complaint(R"({"a\n": 0, "\u0061\u000a": 1})"), "twice");
    EXPECT_FALSE(reader_complaint(R"({"\ud800": 0, "\ud800": 1, "\q": 2})").empty());
}

TEST(json_read, a_number_beyond_the_range_of_double_is_refused_with_its_line_and_column) {
    const auto text = reports::write_json(sample_report());
    for (const auto* number : {"1e400", "-1e400", "NaN", "Infinity", "-Infinity"}) {
        auto wrong = text;
        const auto at = wrong.find("\"seed\": ") + 8;
        wrong.replace(at, wrong.find(',', at) - at, number);
        EXPECT_SAYS(reader_complaint(wrong), "line 4, column");
    }
}

TEST(json_read, large_integers_are_read_as_the_nearest_double) {
    EXPECT_EQ(reports::parse_strictly("[100000000000000000000, 18446744073709551615, -1]"),
              (ordered_json{1e20, UINT64_MAX, -1}));
}

TEST(json_read, fractions_with_many_digits_are_read_as_the_nearest_double) {
    const auto read = reports::parse_strictly(
        "[0.12345678901234567890, -0.00012345678901234567890123, 0.12345678901234567890e2,"
        "1.2345678901234567890123, 0.00000000000000000000000000012345]");
    EXPECT_EQ(read, (ordered_json{0.12345678901234568, -0.00012345678901234567, 12.345678901234568,
                                  1.2345678901234568, 1.2345e-28}));
    EXPECT_THROW(reports::parse_strictly("[0.99999999999999999999e309]"), reports::format_error);
}

TEST(json_read, truncated_or_trailing_text_is_refused_with_line_and_column) {
    EXPECT_SAYS(reader_complaint("{\"a\": [1,\n2"), "line 2, column 2: invalid or incomplete JSON");
    EXPECT_SAYS(reader_complaint("{\"a\": 1}\nx"), "line 2, column 2: invalid");
    EXPECT_SAYS(reader_complaint("{\"a\": 1} {}"), "line 1, column");
}

TEST(json_read, invalid_utf_8_is_refused_with_its_line_number) {
    EXPECT_SAYS(reader_complaint("{\"a\":\n\"\xff\"}"), "line 2, column 1: invalid UTF-8");
}

TEST(json_read, a_byte_order_mark_is_skipped) {
    EXPECT_EQ(reader_complaint("\xEF\xBB\xBF" + reports::write_json(sample_report())), "");
}

TEST(json_read, an_error_message_that_quotes_a_long_or_unprintable_text_is_short_and_printable) {
    const auto text = complaint_after([](ordered_json& document) {
        document["results"][0]["status"] = "\x1b[31m" + std::string(1'000'000, 'x');
    });
    EXPECT_LT(text.size(), 400U);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(reports::shown("a\tb\x7f"), "a b ");
    EXPECT_EQ(reports::shown(std::string(59, 'x') + "\u00e4"), std::string(59, 'x') + "...")
        << "a character is not cut in half";
    EXPECT_EQ(reports::shown(std::string(60, 'x')), std::string(60, 'x'));
}

TEST(json_read, rewriting_a_report_keeps_unknown_fields) {
    auto document = reports::to_json(sample_report());
    document["results"][0]["from_the_future"] = 0.1;
    document["aa"]["from_the_future"] = {1, "two"};
    EXPECT_EQ(reports::rewrite_json(reports::dump(document), "it"), reports::dump(document, 1) + "\n");
    EXPECT_THROW(reports::rewrite_json("{}", "it"), reports::format_error);
}

TEST(json_read, unknown_fields_are_ignored) {
    EXPECT_EQ(complaint_after([](ordered_json& document) { document["results"][0]["from_the_future"] = 1; }),
              "");
}

}  // namespace

}  // namespace loopbench::tests
