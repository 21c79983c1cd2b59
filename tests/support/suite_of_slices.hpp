#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/suite/workloads/trial/slices.hpp"

namespace loopbench::tests {

/// The harness's side of an interleaved trial. It sends all its messages before the contender begins. After
/// the trial, answers() returns the contender's lines.
class suite_of_slices {
public:
    explicit suite_of_slices(std::string_view says) {
        for (auto* ends : {&to_, &from_})
            if (::pipe2(ends->data(), O_CLOEXEC | O_NONBLOCK) != 0)
                throw std::runtime_error("cannot create a pipe");
        if (::write(to_[1], says.data(), says.size()) != static_cast<ssize_t>(says.size()))
            throw std::runtime_error("cannot write to the pipe");
        ::close(to_[1]);  // the contender reads the end of file after the messages
    }
    suite_of_slices(const suite_of_slices&) = delete;
    suite_of_slices& operator=(const suite_of_slices&) = delete;
    ~suite_of_slices() {
        for (const int fd : {to_[0], from_[0], from_[1]}) ::close(fd);
    }

    bench::slice_settings settings() const {
        using std::chrono::microseconds;
        return {to_[0], from_[1], microseconds(200), microseconds(400)};
    }

    std::vector<std::string> answers() {
        std::array<char, 65536> text;
        const ssize_t bytes = ::read(from_[0], text.data(), text.size());
        std::istringstream lines(std::string(text.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0));
        std::vector<std::string> all;
        for (std::string line; std::getline(lines, line);) all.push_back(line);
        return all;
    }

private:
    std::array<int, 2> to_{}, from_{};
};

}  // namespace loopbench::tests
