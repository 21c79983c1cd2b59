// Tests endpoints.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "loop/net/sockets.hpp"
#include "tests/support/says.hpp"

namespace loopbench::loop::test {

namespace {

constexpr std::size_t path_at = offsetof(sockaddr_un, sun_path);
constexpr std::size_t path_bytes_max = sizeof(sockaddr_un) - path_at;

std::string refusal_of(const endpoint& local) {
    return tests::complaint_of<std::system_error>([&] { open_listener(local); });
}

}  // namespace

TEST(endpoints, paths_end_with_a_nul_byte_and_abstract_names_do_not) {
    EXPECT_EQ(endpoint::unix_path("/a/path").bytes(), path_at + 8);
    EXPECT_EQ(endpoint::unix_path(std::string("\0name", 5)).bytes(), path_at + 5);
}

TEST(endpoints, paths_and_abstract_names_can_be_as_long_as_the_kernel_allows) {
    EXPECT_EQ(endpoint::unix_path(std::string(path_bytes_max - 1, 'x')).bytes(), sizeof(sockaddr_un));
    EXPECT_THROW(endpoint::unix_path(std::string(path_bytes_max, 'x')), std::invalid_argument);
    const std::string longest = '\0' + std::string(path_bytes_max - 1, 'x');
    EXPECT_EQ(endpoint::unix_path(longest).bytes(), sizeof(sockaddr_un));
    EXPECT_THROW(endpoint::unix_path(longest + 'x'), std::invalid_argument);
}

TEST(endpoints, endpoints_are_printed_as_their_addresses) {
    EXPECT_EQ(endpoint::loopback(80).to_string(), "127.0.0.1:80");
    EXPECT_EQ(endpoint::ip("::1", 80).to_string(), "[::1]:80");
    EXPECT_EQ(endpoint::unix_path("/a/path").to_string(), "/a/path");
    EXPECT_EQ(endpoint::unix_path(std::string("\0name", 5)).to_string(), "@name");
}

TEST(endpoints, a_path_that_the_kernel_returns_can_be_empty_or_fill_its_whole_array) {
    sockaddr_storage storage;
    std::memset(&storage, 'x', sizeof storage);
    storage.ss_family = AF_UNIX;
    EXPECT_EQ(endpoint(&storage, sizeof(sockaddr_un)).to_string(), std::string(path_bytes_max, 'x'));
    EXPECT_EQ(endpoint(&storage, path_at + 3).to_string(), "xxx");
    EXPECT_EQ(endpoint(&storage, path_at).to_string(), "");
}

TEST(endpoints, listening_on_an_endpoint_in_use_throws_an_error_with_a_remedy) {
    std::string folder = std::filesystem::temp_directory_path() / "loopbench-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const endpoint path = endpoint::unix_path(folder + "/socket");
    { const unique_fd listener = open_listener(path); }
    EXPECT_SAYS(refusal_of(path), "remove the file");
    std::filesystem::remove_all(folder);
    const unique_fd listener = open_listener(endpoint::loopback(0));
    EXPECT_SAYS(refusal_of(local_endpoint(listener.get())), "any free one");
}

}  // namespace loopbench::loop::test
