// Calls a function of a shared library that contains the loop.
#include <cstdio>

int answer();

int main() {
    std::printf("answer: %d\n", answer());
}
