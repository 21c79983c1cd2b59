# The packages that `cpack` makes in the build folder: three on Debian and its derivatives (debian.cmake), otherwise
# archives; only one, with the command, if the command is linked statically. `cpack --config CPackSourceConfig.cmake`
# makes an archive of the sources.
find_program(LOOPBENCH_DPKG_QUERY dpkg-query DOC "dpkg-query, to find the packages of libraries")
mark_as_advanced(LOOPBENCH_DPKG_QUERY)
set(LOOPBENCH_MAINTAINER "loopbench maintainers <maintainers@loopbench.invalid>" CACHE STRING
    "The maintainer of the packages, with a mail address")

set(CPACK_PACKAGE_CONTACT "${LOOPBENCH_MAINTAINER}")
set(CPACK_PACKAGE_VENDOR loopbench)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/bench/package/folder_modes.cmake)
include(bench/package/sources.cmake)

if(LOOPBENCH_DPKG_QUERY AND EXISTS /etc/debian_version AND NOT LOOPBENCH_STATIC)
    include(bench/package/debian.cmake)
else()
    set(CPACK_GENERATOR TGZ)
    set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
    set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
    set(CPACK_COMPONENTS_ALL tool)
    set(CPACK_ARCHIVE_TOOL_FILE_NAME loopbench-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
    if(NOT LOOPBENCH_STATIC)
        list(APPEND CPACK_COMPONENTS_ALL loop asio contenders)
    endif()
endif()
if(LOOPBENCH_STATIC)
    include(bench/package/licenses.cmake)
    loopbench_install_licenses(/usr/share)
endif()
include(CPack)
