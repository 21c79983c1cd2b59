// A program that calls each function of the allocator a hundred times.
#include <cstdlib>
#include <initializer_list>

int main() {
    for (int i = 0; i < 100; ++i) {
        void* volatile plain = std::malloc(10);
        void* volatile zeros = std::calloc(2, 10);
        void* volatile larger = std::realloc(plain, 1000);
        void* volatile aligned = std::aligned_alloc(64, 128);
        void* other = nullptr;
        if (::posix_memalign(&other, 64, 100) != 0) return 1;
        for (void* each : {zeros, larger, aligned, other}) std::free(each);
    }
    return 0;
}
