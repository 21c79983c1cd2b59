# loopbench measures every contender that it finds in a folder. Contenders that only an earlier configuration has built
# must therefore be removed from the folder.

# loopbench_remove_stale(FOLDER NAME...): removes the files in FOLDER whose names are not in the list.
function(loopbench_remove_stale folder)
    file(GLOB present LIST_DIRECTORIES false RELATIVE ${folder} ${folder}/*)
    foreach(name IN LISTS present)
        if(NOT name IN_LIST ARGN)
            message(STATUS "Removing ${folder}/${name}: this configuration has no such contender")
            file(REMOVE ${folder}/${name})
        endif()
    endforeach()
endfunction()
