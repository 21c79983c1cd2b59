// The socket options in use. They are read from the kernel, because they can differ from the options that the
// contender requested. If Nagle's algorithm is on at one end, delays of 40 ms occur, which look like a slow
// loop.
#pragma once

#include <string>

namespace loopbench::bench {

/// Returns the options of a TCP socket that can change the time of a round trip. The text has the form
/// "NAME=VALUE NAME=VALUE ...", in a fixed order. If getsockopt(2) fails for an option, VALUE is the name of
/// the error.
std::string options_of_socket(int fd);

/// Returns the options of both sockets, as "client NAME=VALUE ...; server NAME=VALUE ...".
std::string options_of_connection(int client, int server);

}  // namespace loopbench::bench
