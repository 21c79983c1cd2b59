// What the kernel says of a contender's sockets. Not what the contender believes to have set: Nagle's
// algorithm, left on at one end, is a floor of 40 ms that looks like a slow loop.
#pragma once

#include <string>

namespace loopbench::bench {

/// The options of a TCP socket that can change what a round trip costs, as "NAME=VALUE NAME=VALUE ...", in
/// one order. Read with getsockopt; an option that the kernel refuses to tell has the error in place of its
/// value.
std::string options_of_socket(int fd);

/// Both ends of one connection: "client NAME=VALUE ...; server NAME=VALUE ...".
std::string options_of_connection(int client, int server);

}  // namespace loopbench::bench
