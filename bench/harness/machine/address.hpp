#pragma once

#include <optional>
#include <string>

namespace loopbench::bench {

/// Returns the reason why no TCP server can listen on the address, or nothing if a server can listen.
/// `address` is a numeric IPv4 or IPv6 address.
std::optional<std::string> why_no_server_on(const std::string& address);

}  // namespace loopbench::bench
