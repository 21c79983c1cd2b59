# The archive of the sources. CPack matches the patterns against whole paths, so each begins with the folder of the
# sources. A dot stands for a character of this folder that has a meaning in patterns.
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME loopbench-${PROJECT_VERSION}-source)
string(REGEX REPLACE "[^A-Za-z0-9/_ -]" "." folder "${PROJECT_SOURCE_DIR}")
set(CPACK_SOURCE_IGNORE_FILES)
foreach(pattern build/ [.]git/ [.]cache/ .*__pycache__/ loopbench-[a-z]+/)
    list(APPEND CPACK_SOURCE_IGNORE_FILES "^${folder}/${pattern}")
endforeach()
