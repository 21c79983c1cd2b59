// Reading more than one receive gives: exactly so much, or up to a delimiter.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "loop/net/io_awaiter.hpp"
#include "loop/task.hpp"

namespace loopbench::loop {

/// Fills the buffer. Fewer bytes without an error: the stream ended before.
template <class Stream>
task<io_result> read_exactly(Stream& stream, std::span<std::byte> buffer) {
    io_result total;
    while (total.bytes < buffer.size()) {
        const io_result part = co_await stream.read_some(buffer.subspan(total.bytes));
        total.bytes += part.bytes;
        total.error = part.error;
        if (part.bytes == 0) break;
    }
    co_return total;
}

/// Reads until `delimiter` has come and cuts what came after it off for the next call. A peer that never
/// sends the delimiter cannot make it grow beyond `bytes_max`.
template <class Stream>
class delimited_reader {
public:
    explicit delimited_reader(Stream& stream, std::size_t bytes_max = std::size_t{64} << 10) noexcept
        : stream_(stream), bytes_max_(bytes_max) {}

    struct outcome {
        std::string text;  // with the delimiter; without it when the stream ended or failed first
        int error = 0;     // an errno; EMSGSIZE when bytes_max came before the delimiter
    };

    task<outcome> read_until(std::string_view delimiter) {
        std::size_t searched = 0;
        for (;;) {
            const std::size_t found = kept_.find(delimiter, searched);
            if (found != std::string::npos) co_return outcome{take(found + delimiter.size()), 0};
            if (kept_.size() >= bytes_max_) co_return outcome{take(kept_.size()), EMSGSIZE};
            searched = kept_.size() - std::min(kept_.size(), delimiter.size() - 1);
            std::array<std::byte, 4096> buffer;
            const io_result part = co_await stream_.read_some(buffer);
            if (part.bytes == 0) co_return outcome{take(kept_.size()), part.error};
            kept_.append(reinterpret_cast<const char*>(buffer.data()), part.bytes);
        }
    }

private:
    std::string take(std::size_t count) {
        std::string taken = kept_.substr(0, count);
        kept_.erase(0, count);
        return taken;
    }

    Stream& stream_;
    std::size_t bytes_max_;
    std::string kept_;
};

}  // namespace loopbench::loop
