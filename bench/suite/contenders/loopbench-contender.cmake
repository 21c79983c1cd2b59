# Defines the target loopbench::contender for find_package(loopbench COMPONENTS contender).
find_dependency(benchmark)
find_dependency(fmt)
find_dependency(Threads)
include("${CMAKE_CURRENT_LIST_DIR}/loopbench-contender-targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/compiler_flags.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/layouts.cmake")
loopbench_tell_compiler_flags(loopbench::contender INTERFACE)
