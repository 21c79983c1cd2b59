# Sets `problem` to a message if the C++ compiler is too old, otherwise to "". Older compilers fail in the middle of a
# build, because they lack parts of C++20.
set(loopbench_oldest_GNU 12)
set(loopbench_oldest_Clang 16)
function(loopbench_compiler_problem problem)
    set(oldest "${loopbench_oldest_${CMAKE_CXX_COMPILER_ID}}")
    set(${problem} "" PARENT_SCOPE)
    if(oldest AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS oldest)
        set(${problem} "${CMAKE_CXX_COMPILER} is too old: it is ${CMAKE_CXX_COMPILER_ID} \
${CMAKE_CXX_COMPILER_VERSION}, \
and loopbench needs g++ ${loopbench_oldest_GNU} or clang ${loopbench_oldest_Clang}. Install one of them, and choose it \
in a new build folder, for example with CXX=g++-${loopbench_oldest_GNU}." PARENT_SCOPE)
    endif()
endfunction()
