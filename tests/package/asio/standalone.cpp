// A program that uses the standalone Asio. Every header of it includes this one first.
#include <asio/detail/config.hpp>

int main() {}
