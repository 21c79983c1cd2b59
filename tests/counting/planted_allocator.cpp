// An allocator of a third-party library. It ends the process if it must free or resize memory of another
// allocator.
#include <errno.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

constexpr std::size_t arena_bytes = std::size_t{64} << 20U, alignment_max = 4096;
alignas(alignment_max) unsigned char arena[arena_bytes];
std::atomic<std::size_t> used{0};

struct header {
    std::size_t size;
};

void* take(std::size_t size, std::size_t alignment) {
    const auto whole = size + 2 * alignment + sizeof(header);
    const auto at = used.fetch_add((whole + 15) / 16 * 16);
    if (at + whole > arena_bytes) return nullptr;
    const auto begin = (at + sizeof(header) + alignment - 1) / alignment * alignment;
    const header of{size};
    std::memcpy(arena + begin - sizeof of, &of, sizeof of);
    return arena + begin;
}

void refuse_other(const void* memory) {
    const auto* const byte = static_cast<const unsigned char*>(memory);
    if (byte < arena || byte >= arena + arena_bytes) std::abort();
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) noexcept {
    return take(size, 16);
}

void free(void* memory) noexcept {
    if (memory != nullptr) refuse_other(memory);
}

void* calloc(std::size_t number, std::size_t size) noexcept {
    return take(number * size, 16);  // the arena is never reused, so it contains zeros
}

void* realloc(void* old, std::size_t size) noexcept {
    void* const memory = take(size, 16);
    if (old == nullptr || memory == nullptr) return memory;
    refuse_other(old);
    header of{};
    std::memcpy(&of, static_cast<unsigned char*>(old) - sizeof of, sizeof of);
    std::memcpy(memory, old, of.size < size ? of.size : size);
    return memory;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    return take(size, alignment < 16 ? 16 : alignment);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
    return aligned_alloc(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    *memory = aligned_alloc(alignment, size);
    return *memory == nullptr ? ENOMEM : 0;
}
}
