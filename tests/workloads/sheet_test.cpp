// Tests that a contender's description agrees with what the kernel, the linker and the compiler report.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <memory>
#include <string>

#include "asio_ref/runtime.hpp"
#include "bench/suite/contenders/contender_main.hpp"
#include "bench/suite/contenders/no_network.hpp"
#include "bench/suite/contenders/process/build_facts.hpp"
#include "bench/suite/contenders/process/process_facts.hpp"
#include "tests/support/says.hpp"
#include "tests/workloads/epoll_runtime.hpp"

namespace loopbench::bench {
namespace {

void set(int fd, int level, int option, int value) {
    ASSERT_EQ(::setsockopt(fd, level, option, &value, sizeof(value)), 0);
}

struct nagle_runtime : epoll_runtime {
    task<stream> connect(std::uint16_t port) {
        stream made = co_await epoll_runtime::connect(port);
        set(made.native_handle(), IPPROTO_TCP, TCP_NODELAY, 0);
        co_return std::move(made);
    }
};

struct unconnected_runtime : epoll_runtime {
    using stream = no_network::stream;
    using listener = no_network::listener;
    static listener listen() { return no_network().listen(); }
    static auto connect(std::uint16_t port) { return no_network().connect(port); }
};

template <Runtime R>
std::string own_options_of() {
    return own_socket_options<R>([] { return std::make_unique<R>(); });
}

TEST(sheet, socket_options_are_read_from_the_socket) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_GE(fd, 0);
    EXPECT_TRUE(options_of_socket(fd).starts_with("TCP_NODELAY=0 ")) << options_of_socket(fd);
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, SOL_SOCKET, SO_RCVBUF, 50'000);  // the kernel doubles this value; see socket(7)
    const std::string options = options_of_socket(fd);
    ::close(fd);
    EXPECT_TRUE(options.starts_with("TCP_NODELAY=1 ")) << options;
    EXPECT_NE(options.find(" SO_RCVBUF=100000 "), std::string::npos) << options;
}

TEST(sheet, a_socket_option_that_cannot_be_read_is_reported_with_the_error) {
    EXPECT_TRUE(options_of_socket(-1).starts_with("TCP_NODELAY=EBADF ")) << options_of_socket(-1);
}

TEST(sheet, the_socket_options_of_client_and_server_are_read_and_do_not_depend_on_the_runtime) {
    const std::string of_loop = own_options_of<epoll_runtime>();
    EXPECT_TRUE(of_loop.starts_with("client TCP_NODELAY=1 ")) << of_loop;
    EXPECT_NE(of_loop.find("; server TCP_NODELAY=1 "), std::string::npos) << of_loop;
    EXPECT_EQ(own_options_of<asio_ref::runtime>(), of_loop);
}

TEST(sheet, nagles_algorithm_is_reported_if_only_the_client_uses_it) {
    const std::string options = own_options_of<nagle_runtime>();
    EXPECT_TRUE(options.starts_with("client TCP_NODELAY=0 ")) << options;
    EXPECT_NE(options.find("; server TCP_NODELAY=1 "), std::string::npos) << options;
}

TEST(sheet, a_runtime_without_a_network_reports_no_socket_options) {
    EXPECT_EQ(own_options_of<unconnected_runtime>(), "none: this loop has no network");
}

TEST(sheet, a_workload_that_needs_a_missing_feature_is_unsupported_and_other_workloads_run) {
    const auto make = [] { return std::make_unique<unconnected_runtime>(); };
    for (const workload<unconnected_runtime>& each : workload_list<unconnected_runtime>()) {
        trial t(workload_size::small, 1);
        if (each.name == "yield") {
            EXPECT_NO_THROW(on_fresh_runtime<unconnected_runtime>(each.run, make)(t));
        } else if (each.name.starts_with("echo/rtt/tcp/conns:1/")) {
            EXPECT_THROW(on_fresh_runtime<unconnected_runtime>(each.run, make)(t), lacking);
        }
    }
}

TEST(sheet, the_reason_for_an_unsupported_workload_names_the_function_that_the_runtime_lacks) {
    std::uint64_t lacking = 0;
    const auto list = workload_list<unconnected_runtime>();
    const auto workloads =
        workloads_on<unconnected_runtime>({}, [] { return std::make_unique<unconnected_runtime>(); });
    ASSERT_EQ(workloads.size(), list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].run != nullptr) continue;
        ++lacking;
        trial t(workload_size::small, 1);
        workloads[i].run(t);
        EXPECT_SAYS(t.unsupported().value_or(""), std::string(list[i].lacks) + "()") << list[i].name;
    }
    EXPECT_EQ(lacking, 9u);
}

TEST(sheet, the_reported_timer_slack_is_that_of_the_thread) {
    const int before = ::prctl(PR_GET_TIMERSLACK);
    ASSERT_EQ(::prctl(PR_SET_TIMERSLACK, 1234), 0);
    EXPECT_EQ(timer_slack_in_use(), "1234");
    ::prctl(PR_SET_TIMERSLACK, before);
}

TEST(sheet, the_reported_compiler_and_flags_are_those_of_this_build) {
    const build_facts facts = this_build();
    const std::string version = facts.compiler.substr(facts.compiler.find(' ') + 1);
    EXPECT_NE(std::string(__VERSION__).find(version), std::string::npos) << facts.compiler;
    EXPECT_EQ(facts.flags.find("-DNDEBUG") == std::string::npos, facts.assertions) << facts.flags;
    EXPECT_FALSE(facts.type.empty());
}

}  // namespace
}  // namespace loopbench::bench
