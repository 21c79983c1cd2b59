# CPack runs this script between the installation into a temporary folder and the making of the packages. It gives each
# package the files, names and compression that Debian's policy asks for.
set(packages tool:loopbench dev:libloopbench-dev contenders:loopbench-contenders)

function(compress file)
    execute_process(COMMAND gzip -9n "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(each IN LISTS packages)
    string(REPLACE ":" ";" pair "${each}")
    list(GET pair 0 group)
    list(GET pair 1 package)
    set(place "${CPACK_TEMPORARY_DIRECTORY}/${group}/usr")
    if(NOT IS_DIRECTORY "${place}")
        continue()
    endif()
    file(REMOVE_RECURSE "${place}/share/doc/loopbench")  # the license is in the file copyright
    set(documents "${place}/share/doc/${package}")
    file(COPY "${CPACK_LOOPBENCH_DEBIAN_FILES}/copyright" "${CPACK_LOOPBENCH_DEBIAN_FILES}/${package}/changelog"
        DESTINATION "${documents}"
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    compress("${documents}/changelog")
    file(GLOB manuals "${place}/share/man/man*/*.[0-9]")
    foreach(manual IN LISTS manuals)
        compress("${manual}")
    endforeach()
    if(IS_DIRECTORY "${place}/share/zsh/site-functions")
        file(RENAME "${place}/share/zsh/site-functions" "${place}/share/zsh/vendor-completions")
    endif()
endforeach()
