#include "bench/harness/gate/calibration_file.hpp"

#include <fmt/format.h>

#include <system_error>

#include "bench/harness/machine/environment.hpp"
#include "reports/base/posix_io.hpp"
#include "reports/base/require_format.hpp"
#include "reports/model/json.hpp"
#include "reports/render/calibration.hpp"

namespace loopbench::bench {

namespace fs = std::filesystem;

namespace {

using json = nlohmann::ordered_json;

json machine_json(const reports::environment& where) {
    return {{"kernel", where.kernel}, {"cpu_model", where.cpu_model}, {"cores", where.cores}};
}

}  // namespace

std::optional<fs::path> calibration_path(reports::pairing made) {
    const auto suffix =
        made == reports::pairing::sequential ? std::string{} : fmt::format("-{}", name_of(made));
    auto folder = user_folder("XDG_STATE_HOME", ".local/state");
    if (folder) *folder /= fmt::format("loopbench/calibration{}.json", suffix);
    return folder;
}

std::string write_calibration(const reports::calibration& found, const reports::environment& where) {
    const json whole{{"schema", reports::calibration_format.schema},
                     {"version", loopbench_version()},
                     {"machine", machine_json(where)},
                     {"calibration", reports::to_json(found)}};
    return reports::dump(whole, 1) + "\n";
}

std::optional<reports::calibration> read_calibration(const fs::path& path,
                                                     const reports::environment& where) {
    std::error_code unreadable;  // ignored here, because read_file() reports the error
    if (fs::status(path, unreadable).type() == fs::file_type::not_found) return std::nullopt;
    try {
        const reports::document document{reports::read_file(path.native())};
        const auto from = document.root();
        reports::require_format(from, reports::calibration_format, path.native());
        auto found = reports::read_calibration(from.at("calibration"));
        if (from.at("machine").object() != machine_json(where)) return std::nullopt;
        return found;
    } catch (const reports::other_format&) {
        throw;
    } catch (const reports::format_error& error) {
        throw reports::format_error{
            "{} is not a calibration file: {}; remove it, or run `loopbench calibrate` again", path.native(),
            error.what()};
    }
}

std::optional<reports::calibration> stored_calibration(const reports::environment& where,
                                                       reports::pairing made) {
    const auto path = calibration_path(made);
    if (!path) return std::nullopt;
    auto found = read_calibration(*path, where);
    return found && found->made == made ? std::move(found) : std::nullopt;
}

}  // namespace loopbench::bench
