// What the kernel counts of a TCP connection. Apart from the tests: <linux/tcp.h>, which has it, and
// <netinet/tcp.h>, which Asio has, exclude each other.
#pragma once

namespace loopbench::tests {

/// How many segments with data the socket has sent; 0 when the kernel does not say.
unsigned data_segments_sent(int fd);

}  // namespace loopbench::tests
