// The fuzz target for libFuzzer: `readers_fuzz -dict=tests/fuzz/readers.dict FOLDER tests/fuzz/corpus`.
#include <cstddef>
#include <cstdint>

#include "readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // NOLINTNEXTLINE: libFuzzer passes unsigned bytes
    loopbench::fuzz::read({reinterpret_cast<const char*>(data), size});
    return 0;
}
