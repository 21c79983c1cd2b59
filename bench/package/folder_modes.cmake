# CPack runs this script before it makes an archive or a package. Everybody can read the folders in it, whatever the
# umask of the user is. CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS has no effect on folders that contain only folders.
cmake_policy(SET CMP0009 NEW)  # the next command must not follow links
file(GLOB_RECURSE paths LIST_DIRECTORIES true "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(path IN LISTS paths)
    if(IS_DIRECTORY "${path}" AND NOT IS_SYMLINK "${path}")
        file(CHMOD "${path}" PERMISSIONS
            OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    endif()
endforeach()
