// Reads the kernel's counters for a TCP connection. This code needs <linux/tcp.h>, which conflicts with the
// header <netinet/tcp.h> that Asio includes. Therefore, this code is separate from the tests.
#pragma once

namespace loopbench::tests {

/// Returns the number of segments with data that the socket has sent, or 0 if the kernel does not
/// report this number.
unsigned data_segments_sent(int fd);

}  // namespace loopbench::tests
