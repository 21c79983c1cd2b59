// The options of a contender's sockets as the kernel reports them, not as the contender believes it has set
// them: Nagle's algorithm, left on at one end, adds delays of 40 ms, which look like a slow loop.
#pragma once

#include <string>

namespace loopbench::bench {

/// Returns the options of a TCP socket that can change the cost of a round trip, as "NAME=VALUE NAME=VALUE
/// ...", in a fixed order. Reads them with getsockopt; an option that the kernel refuses to report has the
/// error as its value.
std::string options_of_socket(int fd);

/// Returns both ends of one connection: "client NAME=VALUE ...; server NAME=VALUE ...".
std::string options_of_connection(int client, int server);

}  // namespace loopbench::bench
