# loopbench_find_boost(PROBLEM): finds the headers of Boost, and sets PROBLEM to a message if there are none or if they
# are too old, otherwise to "". Headers in BOOST_ROOT come first. CMake 3.30 and later find Boost only by its package
# file, which a folder with only the headers lacks. Sets Boost_VERSION (for example 1.81.0), its parts, for example
# Boost_VERSION_MINOR, and Boost_INCLUDE_DIRS, and the target Boost::headers.
set(loopbench_oldest_boost 1.81)
set(loopbench_newest_boost 1.92)  # for programs that include loopbench/asio.hpp (detail/version.hpp); others take any
macro(loopbench_find_boost problem)
    set(${problem} "")
    find_path(loopbench_boost_headers boost/asio.hpp PATHS ${BOOST_ROOT} ${Boost_ROOT} $ENV{BOOST_ROOT} $ENV{Boost_ROOT}
        PATH_SUFFIXES include NO_DEFAULT_PATH NO_CACHE)
    if(NOT loopbench_boost_headers)
        find_package(Boost ${loopbench_oldest_boost} QUIET)
        if(NOT TARGET Boost::headers)
            find_path(loopbench_boost_headers boost/asio.hpp NO_CACHE)
        endif()
    endif()
    if(loopbench_boost_headers)
        file(STRINGS "${loopbench_boost_headers}/boost/version.hpp" loopbench_boost_number
            REGEX "^#define BOOST_VERSION [0-9]+")
        string(REGEX REPLACE "^#define BOOST_VERSION ([0-9]+).*" "\\1"
            loopbench_boost_number "${loopbench_boost_number}")
        math(EXPR Boost_VERSION_MAJOR "${loopbench_boost_number} / 100000")
        math(EXPR Boost_VERSION_MINOR "${loopbench_boost_number} / 100 % 1000")
        math(EXPR Boost_VERSION_PATCH "${loopbench_boost_number} % 100")
        set(Boost_VERSION ${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}.${Boost_VERSION_PATCH})
        set(Boost_INCLUDE_DIRS "${loopbench_boost_headers}")
        if(Boost_VERSION VERSION_LESS loopbench_oldest_boost)
            set(${problem} "Boost ${Boost_VERSION} in ${loopbench_boost_headers} is too old: loopbench needs \
${loopbench_oldest_boost} or later. Install it, and name its folder, for example with -DBOOST_ROOT=/opt/boost.")
        elseif(NOT TARGET Boost::headers)
            add_library(Boost::headers INTERFACE IMPORTED GLOBAL)
            target_include_directories(Boost::headers INTERFACE "${loopbench_boost_headers}")
        endif()
    elseif(NOT TARGET Boost::headers)
        set(${problem} "There are no headers of Boost ${loopbench_oldest_boost} or later. Install them (Debian: \
apt-get install libboost-dev), or name their folder, for example with -DBOOST_ROOT=/opt/boost.")
    endif()
endmacro()

# loopbench_boost_is_new(PROBLEM): sets PROBLEM to a message if the Boost that loopbench_find_boost() found is too new
# for loopbench/asio.hpp, otherwise to "".
function(loopbench_boost_is_new problem)
    set(${problem} "" PARENT_SCOPE)
    if("${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}" VERSION_GREATER loopbench_newest_boost)
        set(${problem} "Boost ${Boost_VERSION} in ${Boost_INCLUDE_DIRS} is too new: loopbench/asio.hpp supports Boost \
${loopbench_oldest_boost} to ${loopbench_newest_boost}. Install one of these versions, and name its folder, for \
example with -DBOOST_ROOT=/opt/boost." PARENT_SCOPE)
    endif()
endfunction()
