#include "reports/base/require_format.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace loopbench::reports {

namespace {

struct numbered_name {
    std::string_view name;
    std::uint64_t number = 0;
};

std::optional<numbered_name> parts_of(std::string_view schema) {
    const auto slash = schema.rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    numbered_name found{schema.substr(0, slash)};
    const auto digits = schema.substr(slash + 1);
    const auto* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, found.number);
    if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
    return found;
}

std::string writer_of(const node& root) {
    auto version = root.find("version");
    if (!version)
        if (const auto environment = root.find("environment"))
            version = environment->find("loopbench_version");
    return version && version->is_text() ? version->text() : std::string{};
}

}  // namespace

void require_format(std::string_view stated, const file_format& known, std::string_view file,
                    std::string_view written_by) {
    if (stated == known.schema) return;
    const bool is_first_report = stated == first_report_schema && known.schema == report_format.schema;
    const auto theirs = parts_of(stated), ours = parts_of(known.schema);
    if (!is_first_report && (!theirs || theirs->name != ours->name))
        throw other_format{"{} has the format {}, not {}; name a file with the format {}", file,
                           shown(stated), known.schema, known.schema};
    const auto writer = shown(written_by), schema = shown(stated);
    if (!is_first_report && theirs->number > ours->number)
        throw other_format{
            "{} has the format {} of a newer version{}, but this version of loopbench reads only {}; update "
            "loopbench",
            file, schema, writer.empty() ? "" : fmt::format(" ({})", writer), known.schema};
    throw other_format{
        "{} has the format {}, but this version of loopbench reads only {}; read it with {}, or {}",
        file,
        schema,
        known.schema,
        writer.empty() ? "the version that wrote it" : fmt::format("loopbench {}, which wrote it", writer),
        known.remedy};
}

void require_format(const node& root, const file_format& known, std::string_view file) {
    const auto stated = root.at("schema").text();
    if (stated != known.schema) require_format(stated, known, file, writer_of(root));
}

}  // namespace loopbench::reports
