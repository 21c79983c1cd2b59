# Debian packages: loopbench (the command), libloopbench-dev (the loops, for Asio and other programs) and
# loopbench-contenders.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL tool loop asio contenders)
set(CPACK_COMPONENT_LOOP_GROUP dev)
set(CPACK_COMPONENT_ASIO_GROUP dev)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/bench/package/debian_only.cmake)

# Packages that are made on different releases have different versions, because they depend on different libraries.
cmake_host_system_information(RESULT release QUERY DISTRIB_INFO)
include(bench/package/debian_version.cmake)
loopbench_debian_suffix(suffix "${release_ID}" "${release_VERSION_ID}" "${release_VERSION_CODENAME}")
set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION}+${suffix})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# SOCI loads these libraries when a history is opened, so dpkg-shlibdeps does not see them.
foreach(backend sqlite3 postgresql)
    set(${backend})
    set(found)
    if(LOOPBENCH_HAS_HISTORY)
        execute_process(COMMAND ${LOOPBENCH_DPKG_QUERY} --search "*/libsoci_${backend}.so.*"
            OUTPUT_VARIABLE found ERROR_QUIET)
    endif()
    if(found MATCHES "^([^:]+):")
        set(${backend} ${CMAKE_MATCH_1})
    endif()
endforeach()

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME loopbench)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "${sqlite3}")
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS strace)
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "git, linux-perf, loopbench-contenders, valgrind")
if(postgresql)
    string(APPEND CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS ", ${postgresql}")
endif()
set(CPACK_DEBIAN_TOOL_DESCRIPTION "compares the speed of programs in pairs
loopbench measures two builds of a benchmark program, two servers or two
commands in many short trials, one after the other in random order. It states
the difference with a confidence interval and a verdict, and says if the
machine was too noisy for a result.
.
It reads programs that use Google Benchmark, has a gate for pull requests,
finds the commit that made a program slower, and keeps results over time.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libloopbench-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(boosts "libboost-dev (>= 1.81)")
foreach(version 1.81 1.83 1.88 1.90 1.92)
    string(APPEND boosts " | libboost${version}-dev")
endforeach()
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libc6-dev, liburing-dev, ${boosts}")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "cmake, loopbench, pkgconf")
set(CPACK_DEBIAN_DEV_DESCRIPTION "event loops for C++20 coroutines, also for Boost.Asio programs
The library has an event loop on epoll or io_uring for C++20 coroutines.
.
A header runs unchanged Boost.Asio programs on this loop. A program that is
compiled with the flags of the pkg-config module loopbench-asio-dropin, or
linked to the CMake target loopbench::asio-dropin, needs no other change.")

set(CPACK_DEBIAN_CONTENDERS_PACKAGE_NAME loopbench-contenders)
set(CPACK_DEBIAN_CONTENDERS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_CONTENDERS_PACKAGE_DEPENDS "loopbench (= ${CPACK_DEBIAN_PACKAGE_VERSION}), python3")
set(CPACK_DEBIAN_CONTENDERS_DESCRIPTION "event loops that loopbench compares
The package has one program for each event loop that the command loopbench run
measures with the same workloads: loopbench's own loops, Boost.Asio, libuv,
libevent and Python's asyncio.
.
It also has the client with which loopbench measures echo servers.")

# Files that only Debian packages have. debian_files.cmake copies them.
set(folder ${PROJECT_BINARY_DIR}/debian)
set(CPACK_LOOPBENCH_DEBIAN_FILES ${folder})
string(TIMESTAMP LOOPBENCH_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH overrides the date
file(READ ${PROJECT_SOURCE_DIR}/LICENSE LOOPBENCH_LICENSE)
string(REGEX REPLACE "\n\n" "\n.\n" LOOPBENCH_LICENSE "${LOOPBENCH_LICENSE}")
string(STRIP "${LOOPBENCH_LICENSE}" LOOPBENCH_LICENSE)
string(REPLACE "\n" "\n " LOOPBENCH_LICENSE "${LOOPBENCH_LICENSE}")
configure_file(bench/package/copyright.in ${folder}/copyright @ONLY)
foreach(package loopbench libloopbench-dev loopbench-contenders)
    set(LOOPBENCH_PACKAGE ${package})
    configure_file(bench/package/changelog.in ${folder}/${package}/changelog @ONLY)
endforeach()
file(COPY bench/package/prerm DESTINATION ${folder} FILE_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_CONTENDERS_PACKAGE_CONTROL_EXTRA ${folder}/prerm)
