// A program with 21 functions, which the linker can place in any order.
template <int N>
[[gnu::noinline]] int last_of(int argc) {
    return last_of<N - 1>(argc) + N * argc;
}
template <>
[[gnu::noinline]] int last_of<0>(int argc) {
    return argc;
}

int main(int argc, char**) {
    return last_of<20>(argc) == 0 ? 1 : 0;
}
