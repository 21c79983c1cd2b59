// An operator new that does not call malloc, as in an allocator of a third-party library.
#include <cstddef>
#include <new>

namespace {

constexpr std::size_t arena_bytes = std::size_t{64} << 20U;
alignas(std::max_align_t) unsigned char arena[arena_bytes];
std::size_t used = 0;

}  // namespace

void* operator new(std::size_t size) {
    void* const memory = arena + used;
    used += (size + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);
    if (used > arena_bytes) throw std::bad_alloc{};
    return memory;
}

void operator delete(void* /*memory*/) noexcept {}
void operator delete(void* /*memory*/, std::size_t /*size*/) noexcept {}
