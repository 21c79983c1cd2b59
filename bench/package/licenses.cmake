# A program that is linked statically contains libraries whose licenses require a copy of their text. Debian has these
# texts in the documentation of the packages.
set(missing)
foreach(package libboost*-dev libc6-dev libcli11-dev libfmt-dev libjs-chart.js libsimdjson-dev libsoci-dev
    libsqlite3-dev libstdc++-*-dev libutf8proc-dev nlohmann-json3-dev uuid-dev)
    file(GLOB found /usr/share/doc/${package}/copyright)
    if(NOT found)
        list(APPEND missing ${package})
    endif()
    foreach(file IN LISTS found)
        cmake_path(GET file PARENT_PATH folder)
        cmake_path(GET folder FILENAME name)
        install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/loopbench/licenses RENAME ${name} COMPONENT tool)
    endforeach()
endforeach()
if(missing)
    message(WARNING "The licenses of these packages are missing, so the archive must not be published: ${missing}. "
        "Build it on Debian, with /usr/share/doc.")
endif()
