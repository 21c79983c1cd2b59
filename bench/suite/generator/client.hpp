#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/suite/generator/conversation.hpp"
#include "bench/suite/generator/link.hpp"
#include "bench/suite/workloads/sockets/same_bytes.hpp"

namespace loopbench::bench {

class client {
public:
    client(std::unique_ptr<link> connected, std::size_t connections, const conversation& words)
        : link_(std::move(connected)), words_(words), all_(connections) {}

    std::size_t connections() const noexcept { return all_.size(); }
    std::uint64_t sent_on(std::size_t index) const noexcept { return all_[index].sent; }
    std::uint64_t unanswered() const noexcept { return unanswered_; }

    /// Sends the next request on connection `index`. Returns false if the connection accepts no more data,
    /// because the server reads too slowly for the rate of the requests.
    bool send(std::size_t index) {
        connection& to = all_[index];
        const auto request = words_.request(index, to.sent);
        if ((to.sent - to.answered + 1) * request.size() > unanswered_bytes_max) return false;
        if (!link_->send(index, request)) return false;
        ++to.sent;
        ++unanswered_;
        return true;
    }

    void exchange() { link_->exchange(); }

    /// Calls reply(connection, number, right) for each reply. `number` is the number of earlier replies on
    /// the connection, and `right` is false if the reply is wrong. Returns a description of the problem if a
    /// connection failed, otherwise an empty text.
    template <class Reply>
    std::string_view receive(Reply reply) {
        struct comparing final : link::reader {
            comparing(client& of, Reply& then) : all(of), reply(then) {}
            void arrived(std::size_t index, std::span<const std::byte> piece) override {
                as_asked &= all.take(index, piece, reply);
            }
            client& all;
            Reply& reply;
            bool as_asked = true;
        } to(*this, reply);
        if (!link_->receive(to)) return "the contender closed a connection";
        return to.as_asked ? "" : "the contender sent bytes that no request had asked for";
    }

private:
    /// The number of bytes that the buffers of a connection can always hold if the server does not read
    /// (tcp(7): tcp_rmem, tcp_wmem).
    static constexpr std::size_t unanswered_bytes_max = 262'144;

    struct connection {
        std::uint64_t sent = 0;
        std::uint64_t answered = 0;
        std::size_t come = 0;
        bool right = true;
    };

    template <class Reply>
    bool take(std::size_t index, std::span<const std::byte> piece, Reply& reply) {
        connection& from = all_[index];
        while (!piece.empty()) {
            if (from.answered == from.sent) return false;
            const auto expected = words_.reply(index, from.answered).subspan(from.come);
            const auto part = piece.first(std::min(piece.size(), expected.size()));
            from.right &= workloads::same_bytes(part, expected.first(part.size()));
            piece = piece.subspan(part.size());
            from.come += part.size();
            if (part.size() < expected.size()) break;
            from.come = 0;
            --unanswered_;
            reply(index, from.answered++, std::exchange(from.right, true));
        }
        return true;
    }

    std::unique_ptr<link> link_;
    const conversation& words_;
    std::vector<connection> all_;
    std::uint64_t unanswered_ = 0;
};

}  // namespace loopbench::bench
