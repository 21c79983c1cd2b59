// A program that allocates nothing: it adds up the numbers below its argument. It is also linked statically.
#include <cstdlib>

int main(int argc, char** argv) {
    const long most = argc > 1 ? std::atol(argv[1]) : 0;
    volatile long sum = 0;
    for (long i = 0; i < most; ++i) sum = sum + i;
    return 0;
}
