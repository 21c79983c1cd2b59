# loopbench_tell_compiler_flags(TARGET PUBLIC|INTERFACE): whoever links to it knows how it is being compiled itself. The installed
# package uses this too, in the directory of the project that found it: a contender states its own flags, not ours.
function(loopbench_tell_compiler_flags target scope)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    set(flags "-std=c++${CMAKE_CXX_STANDARD} ${CMAKE_CXX_FLAGS}")
    if(type)
        string(APPEND flags " ${CMAKE_CXX_FLAGS_${type}}")
    endif()
    string(REGEX REPLACE " +" " " flags "${flags}")
    string(STRIP "${flags}" flags)
    string(REPLACE "\"" "\\\"" flags "${flags}")
    target_compile_definitions(${target} ${scope}
        "LOOPBENCH_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\""
        "LOOPBENCH_COMPILER_FLAGS=\"${flags}\""
        "LOOPBENCH_BUILD_TYPE=\"$<CONFIG>\"")
endfunction()
