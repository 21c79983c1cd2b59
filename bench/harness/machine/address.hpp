// The addresses of this machine.
#pragma once

#include <optional>
#include <string>

namespace loopbench::bench {

/// Returns why no TCP server can listen on this address of this machine; nothing if one can. The address is
/// in digits, IPv4 or IPv6.
std::optional<std::string> why_no_server_on(const std::string& address);

}  // namespace loopbench::bench
