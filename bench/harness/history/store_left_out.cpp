// Replaces store.cpp in a build without SOCI.
#include <exception>

#include "bench/harness/history/store.hpp"

namespace loopbench::bench {

class store::connection {};

namespace {

/// The constructor of store throws, so there is no object whose functions could be called.
[[noreturn]] void never_called() {
    std::terminate();
}

}  // namespace

store::store(std::string where, opening, std::chrono::seconds) {
    throw database_error{
        "cannot use the history in {}: this loopbench was built without SOCI, which stores histories; "
        "install SOCI 4.0 (Debian: libsoci-dev), and build loopbench again",
        without_password(where)};
}
store::~store() = default;
store::store(store&&) noexcept = default;
store& store::operator=(store&&) noexcept = default;

store::added store::add(const entry&) {
    never_called();
}
std::vector<store::added> store::add(std::span<const entry>) {
    never_called();
}
std::vector<kept_run> store::runs() {
    never_called();
}
std::string store::points_of(row_id) {
    never_called();
}
std::string store::other_points_of(row_id) {
    never_called();
}
std::optional<reports::report> store::report_of(row_id) {
    never_called();
}
std::string store::report_text_of(row_id) {
    never_called();
}
void store::remove(std::span<const row_id>) {
    never_called();
}
std::string store::place() const {
    never_called();
}

}  // namespace loopbench::bench
