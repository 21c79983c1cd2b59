# Sets `problem` to a message if the C++ compiler or the libstdc++ that it uses is too old, otherwise to "". Older ones
# fail in the middle of a build, because they lack parts of C++20. loop/compiler.hpp has the same versions.
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
    elseif(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
        separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
        execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} -std=c++20 -E -dM -x c++ -include version /dev/null
            OUTPUT_VARIABLE macros ERROR_QUIET)
        if(macros MATCHES "_GLIBCXX_RELEASE ([0-9]+)" AND CMAKE_MATCH_1 VERSION_LESS loopbench_oldest_GNU)
            set(${problem} "${CMAKE_CXX_COMPILER} uses libstdc++ ${CMAKE_MATCH_1}, which is too old: loopbench needs \
libstdc++ ${loopbench_oldest_GNU}. Install g++-${loopbench_oldest_GNU}, whose library clang then uses, and choose a \
new build folder." PARENT_SCOPE)
        endif()
    endif()
endfunction()
