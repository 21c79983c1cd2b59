// The kernel's counters for a TCP connection. Separate from the tests, because <linux/tcp.h>, which has them,
// and <netinet/tcp.h>, which Asio includes, exclude each other.
#pragma once

namespace loopbench::tests {

/// Returns how many segments with data the socket has sent; 0 when the kernel does not tell.
unsigned data_segments_sent(int fd);

}  // namespace loopbench::tests
