// Memory that must not be touched, as far as AddressSanitizer is there to see to it.
//
// Decided here and not in CMake, against the habit of the house: the header is installed, and whether there
// is a sanitizer is a matter of the program that includes it. No macro is left behind for that program.
#pragma once

#include <cstddef>

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>

namespace loopbench::loop::detail {

inline void poison(void* block, std::size_t bytes) noexcept {
    ASAN_POISON_MEMORY_REGION(block, bytes);
}
inline void unpoison(void* block, std::size_t bytes) noexcept {
    ASAN_UNPOISON_MEMORY_REGION(block, bytes);
}

}  // namespace loopbench::loop::detail

#else

namespace loopbench::loop::detail {

inline void poison(void*, std::size_t) noexcept {}
inline void unpoison(void*, std::size_t) noexcept {}

}  // namespace loopbench::loop::detail

#endif
