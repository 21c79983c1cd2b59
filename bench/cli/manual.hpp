// The man page, made of the command's own options: help2man reads one command's --help, and would take those
// of eight for one paragraph.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace loopbench::bench {

/// In mdoc(7). `date` is what mdoc wants: "November 22, 2026".
std::string manual_page(const CLI::App& app, std::string_view date);

}  // namespace loopbench::bench
