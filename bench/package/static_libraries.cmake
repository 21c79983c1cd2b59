# Finds fmt and simdjson for LOOPBENCH_STATIC. The other libraries are found as usual, but only as archives.
# Distributions have no archive of fmt, so its code is compiled with the sources that include it. The CMake files of
# simdjson prefer the shared library.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
string(APPEND CMAKE_EXE_LINKER_FLAGS " -static")

find_path(FMT_INCLUDE_DIR fmt/format.h REQUIRED DOC "Debian: libfmt-dev")
add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
target_include_directories(fmt::fmt INTERFACE ${FMT_INCLUDE_DIR})
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)

find_path(SIMDJSON_INCLUDE_DIR simdjson.h REQUIRED DOC "Debian: libsimdjson-dev")
find_library(SIMDJSON_STATIC_LIBRARY NAMES simdjson_static simdjson
    DOC "simdjson as an archive (Debian 13 and newer: libsimdjson-dev)")
if(NOT SIMDJSON_STATIC_LIBRARY)
    message(FATAL_ERROR "There is no static library of simdjson. Build on Debian 13 or newer (libsimdjson-dev), or say "
        "where it is: -DSIMDJSON_STATIC_LIBRARY=/path/to/libsimdjson_static.a.")
endif()
add_library(simdjson::simdjson STATIC IMPORTED GLOBAL)
set_target_properties(simdjson::simdjson PROPERTIES
    IMPORTED_LOCATION ${SIMDJSON_STATIC_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${SIMDJSON_INCLUDE_DIR})
target_link_libraries(simdjson::simdjson INTERFACE Threads::Threads)
