#include "tests/asio_compat/segments.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace loopbench::tests {

unsigned data_segments_sent(int fd) {
    tcp_info info{};
    socklen_t bytes = sizeof info;
    return ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0 ? info.tcpi_data_segs_out : 0;
}

}  // namespace loopbench::tests
