// The function has its own source file, because it needs <linux/tcp.h>, which conflicts with Asio's
// <netinet/tcp.h>.
#pragma once

namespace loopbench::tests {

/// Returns the number of TCP segments with data that the socket has sent, or 0 if the kernel does not report
/// this number.
unsigned data_segments_sent(int fd);

}  // namespace loopbench::tests
