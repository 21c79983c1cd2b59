# loopbench finds contenders by looking into a folder, so what an earlier configuration left there would be measured.

# loopbench_remove_stale(FOLDER NAME...): removes the files in FOLDER that have none of these names.
function(loopbench_remove_stale folder)
    file(GLOB present LIST_DIRECTORIES false RELATIVE ${folder} ${folder}/*)
    foreach(name IN LISTS present)
        if(NOT name IN_LIST ARGN)
            message(STATUS "Removing ${folder}/${name}: it is no contender of this configuration")
            file(REMOVE ${folder}/${name})
        endif()
    endforeach()
endfunction()
