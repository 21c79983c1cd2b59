# usage: cmake -D SOURCE=... -D FOLDER=... -P stale_contenders_test.cmake
# Checks that loopbench_remove_stale() removes the contenders that only an earlier configuration built, and nothing
# else.
cmake_minimum_required(VERSION 3.25)
include(${SOURCE}/bench/suite/contenders/stale.cmake)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/__pycache__)
foreach(name IN ITEMS kept renamed)
    file(TOUCH ${FOLDER}/${name})
endforeach()
file(CREATE_LINK kept ${FOLDER}/old-link SYMBOLIC)
loopbench_remove_stale(${FOLDER} kept not-built-yet)
file(GLOB left RELATIVE ${FOLDER} ${FOLDER}/*)
if(NOT left STREQUAL "__pycache__;kept")
    message(FATAL_ERROR "expected __pycache__ and kept, found: ${left}")
endif()
file(REMOVE_RECURSE ${FOLDER})
