// Checks that the compiler and its standard library are new enough. Older ones lack parts of C++20, and would
// fail in the middle of another header. loopbench-compiler.cmake has the same versions.
#pragma once

#if __has_include(<version>)  // libstdc++ 8 and older lack it
#include <version>            // defines _GLIBCXX_RELEASE
#endif

#if defined(__clang__) ? __clang_major__ < 16 : defined(__GNUC__) && __GNUC__ < 12
#error "This compiler is too old: loopbench needs g++ 12 or clang 16; choose one, such as CXX=g++-12."
#elif defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE < 12
#error "The libstdc++ of this compiler is too old: loopbench needs libstdc++ 12; install g++-12."
#endif
