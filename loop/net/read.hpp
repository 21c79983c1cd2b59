#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "loop/coro/task.hpp"
#include "loop/io/io.hpp"

namespace loopbench::loop {

/// A reader that keeps surplus bytes for the next read: bytes that the current read does not need, and bytes
/// that arrived before a read was cancelled. Only one read may be pending at a time. The stream must outlive
/// the reader, and the reader must outlive its reads.
template <class Stream>
class buffered_reader {
public:
    /// Creates a reader of `stream`. `bytes_max` limits the memory of read_until(): without a delimiter, the
    /// reader keeps at most `bytes_max` bytes, plus the bytes of one receive.
    explicit buffered_reader(Stream& stream, std::size_t bytes_max = std::size_t{64} << 10) noexcept
        : stream_(stream), bytes_max_(bytes_max) {}
    buffered_reader& operator=(buffered_reader&&) = delete;

    struct outcome {
        std::string text;  // includes the delimiter, unless an error or the end of the stream came first
        int error = 0;     // an errno; EMSGSIZE if there was no delimiter within bytes_max
    };

    /// Reads up to and including `delimiter`, which must not be empty and must exist until the read is done.
    task<outcome> read_until(std::string_view delimiter) {
        std::size_t searched = 0;
        for (;;) {
            const std::size_t found = kept().find(delimiter, searched);
            if (found != std::string_view::npos) co_return outcome{take(found + delimiter.size()), 0};
            if (kept().size() >= bytes_max_) co_return outcome{take(kept().size()), EMSGSIZE};
            searched = kept().size() - std::min(kept().size(), delimiter.size() - 1);
            const io_result part = co_await stream_.read_some(room(least_read_bytes));
            if (part.bytes == 0) co_return outcome{take(kept().size()), part.error};
            end_ += part.bytes;
        }
    }

    /// Reads until `buffer` is full. If the result has fewer bytes and no error, the stream has ended.
    task<io_result> read_exactly(std::span<std::byte> buffer) {
        io_result last{.bytes = 0, .error = 0};
        while (kept().size() < buffer.size()) {
            last = co_await stream_.read_some(room(buffer.size() - kept().size()));
            if (last.bytes == 0) break;
            end_ += last.bytes;
        }
        const std::size_t bytes = std::min(kept().size(), buffer.size());
        if (bytes != 0) std::memcpy(buffer.data(), kept().data(), bytes);
        drop(bytes);
        co_return io_result{.bytes = bytes, .error = bytes < buffer.size() ? last.error : 0};
    }

private:
    static constexpr std::size_t least_read_bytes = 4096;

    std::string_view kept() const noexcept {
        return {reinterpret_cast<const char*>(buffer_.data()) + begin_, end_ - begin_};
    }

    // Returns space for at least `wanted` bytes, on the heap and not in a coroutine frame, because a frame of
    // this size would not be recycled.
    std::span<std::byte> room(std::size_t wanted) {
        if (buffer_.size() - end_ < wanted && begin_ != 0) {
            end_ -= begin_;
            std::memmove(buffer_.data(), buffer_.data() + std::exchange(begin_, 0), end_);
        }
        if (buffer_.size() - end_ < wanted) buffer_.resize(std::max(end_ + wanted, least_read_bytes));
        return std::span(buffer_).subspan(end_);
    }

    void drop(std::size_t bytes) noexcept {
        begin_ += bytes;
        if (begin_ == end_) begin_ = end_ = 0;
    }

    std::string take(std::size_t bytes) {
        std::string taken(kept().substr(0, bytes));
        drop(bytes);
        return taken;
    }

    Stream& stream_;
    std::size_t bytes_max_;
    std::vector<std::byte> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace loopbench::loop
