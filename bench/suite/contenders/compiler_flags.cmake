# loopbench_tell_compiler_flags(TARGET PUBLIC|INTERFACE): defines macros with the compiler and its flags in every target
# that links to TARGET. A contender must state the flags of its own project. A project that uses the installed package
# therefore calls this function itself, and BUILD_INTERFACE keeps loopbench's own flags out of the package.
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
