// The link of the generator on io_uring. One system call sends all due requests and collects all replies. The
// link makes no call while nothing happens.
#include <liburing.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "bench/suite/generator/link.hpp"
#include "loop/io/uring/ring.hpp"

namespace loopbench::bench {

namespace {

/// The receive buffers of the ring. The kernel uses all of them in rotation. Their number is small, because
/// many buffers would not fit into the caches.
class receive_buffers {
public:
    static constexpr std::uint16_t group = 0;

    receive_buffers(io_uring& ring, unsigned count)
        : count_(count), bytes_(count * (sizeof(io_uring_buf) + buffer_bytes)) {
        void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (memory == MAP_FAILED) loop::throw_failed("cannot map memory for the receive buffers (mmap)");
        ring_ = static_cast<io_uring_buf_ring*>(memory);
        data_ = static_cast<std::byte*>(memory) + count * sizeof(io_uring_buf);
        io_uring_buf_reg registration{};
        registration.ring_addr = reinterpret_cast<std::uintptr_t>(ring_);
        registration.ring_entries = count;
        registration.bgid = group;
        const int error = -io_uring_register_buf_ring(&ring, &registration, 0);
        if (error != 0) {
            ::munmap(memory, bytes_);
            loop::throw_errno("io_uring refuses to register the receive buffers", error);
        }
        io_uring_buf_ring_init(ring_);
        for (unsigned i = 0; i < count; ++i) give_back(i);
        publish();
    }
    receive_buffers(const receive_buffers&) = delete;
    receive_buffers& operator=(const receive_buffers&) = delete;
    ~receive_buffers() { ::munmap(ring_, bytes_); }

    std::span<const std::byte> filled(unsigned number, std::size_t bytes) const noexcept {
        return {data_ + number * buffer_bytes, bytes};
    }

    /// Gives a buffer back to the kernel, which can use it after publish().
    void give_back(unsigned number) noexcept {
        io_uring_buf_ring_add(ring_, data_ + number * buffer_bytes, buffer_bytes,
                              static_cast<std::uint16_t>(number), static_cast<int>(count_ - 1), given_++);
    }
    void publish() noexcept { io_uring_buf_ring_advance(ring_, std::exchange(given_, 0)); }

private:
    static constexpr std::size_t buffer_bytes = 2048;
    unsigned count_;  // a power of two
    std::size_t bytes_;
    io_uring_buf_ring* ring_ = nullptr;
    std::byte* data_ = nullptr;
    int given_ = 0;
};

class uring_link final : public link {
public:
    explicit uring_link(std::vector<loop::unique_fd> sockets)
        : sockets_(std::move(sockets)),
          ring_(loop::uring_limits{.submissions = entries_for(sockets_.size())}),
          buffers_(ring_.native(), entries_for(sockets_.size())) {
        ring_.enable();
        std::vector<int> files;
        for (const loop::unique_fd& each : sockets_) files.push_back(each.get());
        const int error =
            -io_uring_register_files(&ring_.native(), files.data(), static_cast<unsigned>(files.size()));
        if (error != 0) loop::throw_failed("io_uring_register_files", error);
        for (std::size_t i = 0; i < sockets_.size(); ++i) start_receiving(i);
        ring_.enter();
    }

    /// Ends the connections with shutdown(), because the server waits for the end of its connections. Closing
    /// the sockets is not enough: a closed ring releases its files only after some time.
    ~uring_link() override {
        for (const loop::unique_fd& each : sockets_) ::shutdown(each.get(), SHUT_RDWR);
    }

    /// Prepares a send. MSG_WAITALL turns a partial send into an error, so that a successful send needs no
    /// completion. With MSG_DONTWAIT, no send waits for space; a later send on the same connection could
    /// overtake a waiting send.
    bool send(std::size_t connection, std::span<const std::byte> bytes) override {
        io_uring_sqe& send = ring_.sqe();
        io_uring_prep_send(&send, static_cast<int>(connection), bytes.data(), bytes.size(),
                           MSG_NOSIGNAL | MSG_WAITALL | MSG_DONTWAIT);
        send.flags |= IOSQE_FIXED_FILE | IOSQE_CQE_SKIP_SUCCESS;
        send.user_data = connection << 1 | of_send;
        return true;
    }

    void exchange() override { ring_.enter_if_needed(); }

    bool receive(reader& to) override {
        bool alive = true;
        io_uring_cqe done;
        while (ring_.take(done)) alive &= on_completion(done, to);
        buffers_.publish();
        return alive;
    }

    std::string_view name() const noexcept override { return "io_uring"; }

private:
    static constexpr std::uint64_t of_send = 1;  // lowest bit of a send's tag; the others are the connection

    static unsigned entries_for(std::size_t connections) noexcept {
        return std::bit_ceil(std::max(64U, 2 * static_cast<unsigned>(connections)));
    }

    void start_receiving(std::size_t connection) {
        io_uring_sqe& receive = ring_.sqe();
        io_uring_prep_recv_multishot(&receive, static_cast<int>(connection), nullptr, 0, 0);
        receive.flags |= IOSQE_FIXED_FILE | IOSQE_BUFFER_SELECT;
        receive.buf_group = receive_buffers::group;
        receive.user_data = connection << 1;
    }

    static void throw_unless_closed(int result, const char* what) {
        if (result > 0)
            throw std::runtime_error(
                "a connection accepted only a part of a request, because its send buffer is full");
        if (result < 0 && result != -EPIPE && result != -ECONNRESET) loop::throw_errno(what, -result);
    }

    bool on_completion(const io_uring_cqe& done, reader& to) {
        const auto connection = static_cast<std::size_t>(done.user_data >> 1);
        if ((done.user_data & of_send) != 0) {
            if (done.res == -EAGAIN)
                loop::throw_errno("a connection accepts no more requests, because the server is too slow",
                                  EAGAIN);
            throw_unless_closed(done.res, "send");
            return false;
        }
        if ((done.flags & IORING_CQE_F_BUFFER) != 0) {
            const unsigned buffer = done.flags >> IORING_CQE_BUFFER_SHIFT;
            if (done.res > 0)
                to.arrived(connection, buffers_.filled(buffer, static_cast<std::size_t>(done.res)));
            buffers_.give_back(buffer);
        }
        if (done.res <= 0 && done.res != -ENOBUFS) {
            throw_unless_closed(done.res, "recv");
            return false;
        }
        if ((done.flags & IORING_CQE_F_MORE) == 0) start_receiving(connection);
        return true;
    }

    std::vector<loop::unique_fd> sockets_;
    loop::uring_ring ring_;
    receive_buffers buffers_;
};

}  // namespace

std::unique_ptr<link> make_uring_link(std::vector<loop::unique_fd> sockets) {
    return std::make_unique<uring_link>(std::move(sockets));
}

}  // namespace loopbench::bench
