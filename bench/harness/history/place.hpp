// The place of a history: the path of an SQLite file, or the URL of a PostgreSQL database. store.hpp declares
// the functions that the commands use.
#pragma once

#include <string_view>

namespace loopbench::bench {

bool is_postgresql(std::string_view where);

/// Throws usage_error for a URL of an unsupported kind of database. Otherwise, the URL would be used as a
/// file name, and the password in the URL would become a part of a folder's name.
void refuse_other_urls(std::string_view where);

/// Throws usage_error for passwords that are not escaped correctly. libpq would split such a password and
/// show a part of it in an error message.
void refuse_unescaped_passwords(std::string_view where);

}  // namespace loopbench::bench
