// A program that uses the standalone Asio.
#include <asio.hpp>

int main() {}
