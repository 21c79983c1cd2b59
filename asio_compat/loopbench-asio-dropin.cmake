# Builds the C++ sources of a project on loopbench's loops. The project itself stays unchanged; configure it with:
# cmake -DCMAKE_PROJECT_INCLUDE=PREFIX/lib/cmake/loopbench/loopbench-asio-dropin.cmake
#
# CMake includes this file after each call of project(). At that time, the project has no targets, and C++ might not be
# enabled yet. Therefore this file links every target with loopbench::asio-dropin-of-cxx, which has an effect only on
# C++ sources, and on programs and shared libraries that CMake links as C++.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)  # for the functions below; the project can have older policies, and keeps them

function(loopbench_swap_cxx)
    if(TARGET loopbench::asio-dropin-of-cxx)
        return()  # project() was also called in this folder, or in a folder above it
    endif()
    if(NOT CMAKE_C_COMPILER_LOADED AND NOT CMAKE_CXX_COMPILER_LOADED)
        # The package needs a language. Subprojects that have one include this file themselves.
        cmake_language(DEFER CALL loopbench_refuse_late_cxx)
        return()
    endif()
    find_package(loopbench REQUIRED COMPONENTS asio PATHS ${CMAKE_CURRENT_FUNCTION_LIST_DIR} NO_DEFAULT_PATH)
    add_library(loopbench::asio-dropin-of-cxx INTERFACE IMPORTED)
    link_libraries(loopbench::asio-dropin-of-cxx)
    cmake_language(DEFER CALL loopbench_describe_cxx_later)
endfunction()

# Called at the end of the folder, but before deferred calls of the project, which were registered later.
function(loopbench_describe_cxx_later)
    cmake_language(DEFER CALL loopbench_describe_cxx)
endfunction()

# Gives loopbench::asio-dropin-of-cxx its properties. Called after the project's own commands, because a project can
# read the properties of the libraries that its targets are linked with, and cannot use those that depend on the
# language. For example, libtorrent writes them to its .pc file.
function(loopbench_describe_cxx)
    foreach(property COMPILE_OPTIONS INCLUDE_DIRECTORIES)
        set_property(TARGET loopbench::asio-dropin-of-cxx PROPERTY INTERFACE_${property}
            "$<$<COMPILE_LANGUAGE:CXX>:$<TARGET_PROPERTY:loopbench::asio-dropin,INTERFACE_${property}>>")
    endforeach()
    set_target_properties(loopbench::asio-dropin-of-cxx PROPERTIES
        INTERFACE_COMPILE_FEATURES "$<$<BOOL:$<CXX_COMPILER_ID>>:cxx_std_20>"  # an error if C++ is not enabled
        INTERFACE_LINK_LIBRARIES "$<$<LINK_LANGUAGE:CXX>:loopbench::loop>")
endfunction()

# Reports a folder whose C++ targets are not on the loop. Called at the end of a folder whose project() enables neither
# C nor C++.
function(loopbench_refuse_late_cxx)
    if(CMAKE_CXX_COMPILER_LOADED AND NOT TARGET loopbench::asio-dropin-of-cxx)
        message(SEND_ERROR "The C++ targets of ${CMAKE_CURRENT_SOURCE_DIR} would not be on a loop of loopbench: \
project(${PROJECT_NAME}) enables neither C nor CXX, and enable_language(CXX) comes later. Let project() name CXX, for \
example project(${PROJECT_NAME} CXX), or link the targets with loopbench::asio-dropin.")
    endif()
endfunction()

cmake_policy(POP)
loopbench_swap_cxx()
