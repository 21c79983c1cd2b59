# Further versions of Boost, which the contenders asio-*-VERSION use beside the Boost of all other code.
set(LOOPBENCH_BOOSTS "" CACHE STRING
    "Folders of further Boost versions; each adds contenders, for example asio-epoll-1.92")

# loopbench_find_boosts(): for each folder in LOOPBENCH_BOOSTS, which contains boost/asio.hpp or include/boost/asio.hpp,
# adds the target loopbench_boost-VERSION, whose headers are found before the system's. VERSION is for example 1.92.
# Sets the variables LOOPBENCH_BOOST_VERSIONS (a list) and LOOPBENCH_BOOST_NUMBER_VERSION (its BOOST_VERSION), and the
# global properties LOOPBENCH_BOOST_VERSIONS and LOOPBENCH_BOOST_HEADERS_VERSION (the folder of its headers).
function(loopbench_find_boosts)
    set(versions)
    foreach(folder IN LISTS LOOPBENCH_BOOSTS)
        get_filename_component(folder "${folder}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
        set(headers "${folder}")
        if(EXISTS "${folder}/include/boost/asio.hpp")
            set(headers "${folder}/include")
        elseif(NOT EXISTS "${folder}/boost/asio.hpp")
            message(FATAL_ERROR "LOOPBENCH_BOOSTS: ${folder} contains neither boost/asio.hpp nor "
                "include/boost/asio.hpp; give the folder into which a Boost was unpacked or installed")
        endif()
        file(STRINGS "${headers}/boost/version.hpp" number REGEX "^#define BOOST_VERSION [0-9]+")
        string(REGEX REPLACE "^#define BOOST_VERSION ([0-9]+).*" "\\1" number "${number}")
        if(NOT number GREATER_EQUAL 108100)
            message(FATAL_ERROR "LOOPBENCH_BOOSTS: ${folder} has BOOST_VERSION ${number}; the contenders need at least "
                "108100 (Boost 1.81)")
        endif()
        math(EXPR major "${number} / 100000")
        math(EXPR minor "${number} / 100 % 1000")
        set(version ${major}.${minor})
        if(version IN_LIST versions)
            message(FATAL_ERROR "LOOPBENCH_BOOSTS: two folders have Boost ${version}; remove ${folder} or the other")
        endif()
        list(APPEND versions ${version})
        add_library(loopbench_boost-${version} INTERFACE)
        target_include_directories(loopbench_boost-${version} SYSTEM INTERFACE "${headers}")
        set(LOOPBENCH_BOOST_NUMBER_${version} ${number} PARENT_SCOPE)
        set_property(GLOBAL PROPERTY LOOPBENCH_BOOST_HEADERS_${version} "${headers}")
    endforeach()
    set(LOOPBENCH_BOOST_VERSIONS ${versions} PARENT_SCOPE)
    set_property(GLOBAL PROPERTY LOOPBENCH_BOOST_VERSIONS ${versions})
endfunction()
