// Reads the kernel's counters for a TCP connection. This code is separate from the tests because it needs
// <linux/tcp.h>, which conflicts with <netinet/tcp.h>, and Asio includes the latter.
#pragma once

namespace loopbench::tests {

/// Returns the number of segments with data that the socket has sent, or 0 if the kernel does not report it.
unsigned data_segments_sent(int fd);

}  // namespace loopbench::tests
