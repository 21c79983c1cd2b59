# A program that is linked statically contains libraries whose licenses require a copy of their text. Debian has these
# texts in the documentation of the packages. Some of them only refer to a text in common-licenses.

# loopbench_install_licenses(SHARE): installs the texts below SHARE, which is /usr/share except in tests. Fails if one
# is missing, because the archive must not be published without it.
function(loopbench_install_licenses share)
    set(packages libboost*-dev libc6-dev libcli11-dev libfmt-dev libjs-chart.js libsimdjson-dev libstdc++-*-dev
        libutf8proc-dev nlohmann-json3-dev uuid-dev)
    if(LOOPBENCH_HAS_HISTORY)
        list(APPEND packages libsoci-dev libsqlite3-dev)
    endif()
    set(missing)
    foreach(package IN LISTS packages)
        file(GLOB found "${share}/doc/${package}/copyright")
        if(NOT found)
            list(APPEND missing ${package})
        endif()
        foreach(file IN LISTS found)
            cmake_path(GET file PARENT_PATH folder)
            cmake_path(GET folder FILENAME name)
            loopbench_install_license("${file}" ${name})
        endforeach()
    endforeach()
    foreach(text Apache-2.0 LGPL-2.1)
        if(NOT EXISTS "${share}/common-licenses/${text}")
            list(APPEND missing common-licenses/${text})
        endif()
        loopbench_install_license("${share}/common-licenses/${text}" ${text})
    endforeach()
    if(missing)
        list(JOIN missing ", " missing)
        message(FATAL_ERROR "The licenses of libraries in a static loopbench are missing in ${share}: ${missing}. "
            "Install these packages on Debian, with their documentation, or build without LOOPBENCH_STATIC.")
    endif()
endfunction()

function(loopbench_install_license file name)
    install(FILES "${file}" DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/loopbench/licenses RENAME ${name} COMPONENT tool)
endfunction()
