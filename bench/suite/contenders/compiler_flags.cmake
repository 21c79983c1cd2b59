# loopbench_tell_compiler_flags(TARGET PUBLIC|INTERFACE): tells each target that links to TARGET its own compiler flags.
# The installed package uses this function too, in the directory of the project that found it: a contender states its
# own flags, not ours, so ours are not exported.
function(loopbench_tell_compiler_flags target scope)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    set(flags "${CMAKE_CXX_FLAGS}")
    if(CMAKE_CXX_STANDARD)
        string(PREPEND flags "-std=c++${CMAKE_CXX_STANDARD} ")
    endif()
    if(type)
        string(APPEND flags " ${CMAKE_CXX_FLAGS_${type}}")
    endif()
    string(REGEX REPLACE " +" " " flags "${flags}")
    string(STRIP "${flags}" flags)
    string(REPLACE "\"" "\\\"" flags "${flags}")
    target_compile_definitions(${target} ${scope}
        "$<BUILD_INTERFACE:LOOPBENCH_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\">"
        "$<BUILD_INTERFACE:LOOPBENCH_COMPILER_FLAGS=\"${flags}\">"
        "$<BUILD_INTERFACE:LOOPBENCH_BUILD_TYPE=\"$<CONFIG>\">")
endfunction()
