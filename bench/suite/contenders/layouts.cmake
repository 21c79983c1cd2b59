# Code placement changes the speed of code by some per cent. `loopbench compare` accepts several builds of a program
# that differ only in the order of their functions. The functions in this file link such builds from the same object
# files.
find_program(LOOPBENCH_SHUFFLING_LINKER NAMES mold ld.lld-19 ld.lld
    DOC "mold, or lld 13 or newer, to link layouts of a program")

# loopbench_add_layouts(TARGET COUNT N [SEED S] [FOLDER DIR]): adds the target TARGET.layouts, which links the
# executable TARGET N more times. The programs are written to FOLDER. Their names are numbers of equal length, for
# example 01 to 20. Other files in FOLDER whose names are numbers are removed. The default of FOLDER is the folder
# TARGET.layouts beside TARGET; FOLDER cannot be a generator expression. The programs have the seeds S + 1 to S + N (by
# default, S is 0), and each seed gives another order of the functions.
#
# Nothing is compiled again. The linker can reorder only functions that were compiled with -ffunction-sections.
# loopbench's own libraries are compiled with this option, and this function adds the option to TARGET. Functions that
# the compiler marks as cold, hot or start-up code stay together, as in an ordinary link.
function(loopbench_add_layouts target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "COUNT;SEED;FOLDER" "")
    if(NOT arg_COUNT MATCHES "^[1-9][0-9]*$")
        message(FATAL_ERROR "loopbench_add_layouts(${target}): COUNT must be the number of layouts, at least 1")
    endif()
    if(NOT LOOPBENCH_SHUFFLING_LINKER)
        message(FATAL_ERROR "loopbench_add_layouts(${target}): no linker can shuffle functions; install mold or lld")
    endif()
    if(NOT arg_SEED)
        set(arg_SEED 0)
    endif()
    if(NOT arg_FOLDER)
        get_target_property(arg_FOLDER ${target} RUNTIME_OUTPUT_DIRECTORY)
        if(NOT arg_FOLDER)
            set(arg_FOLDER ${CMAKE_CURRENT_BINARY_DIR})
        endif()
        string(APPEND arg_FOLDER /${target}.layouts)
    endif()
    if(LOOPBENCH_SHUFFLING_LINKER MATCHES "lld[^/]*$")
        # g++ finds lld only under the name ld.lld. The installed ld.lld can be another version than the linker that was
        # found above, so a link with this name is made in a separate folder.
        set(linker ${CMAKE_BINARY_DIR}/loopbench-linker)
        file(MAKE_DIRECTORY ${linker})
        file(CREATE_LINK ${LOOPBENCH_SHUFFLING_LINKER} ${linker}/ld.lld SYMBOLIC)
        set(use -B${linker} -fuse-ld=lld -Wl,-z,keep-text-section-prefix)
        set(shuffle -Wl,--shuffle-sections=.text*=)
    else()
        set(use -fuse-ld=mold -Wl,-z,keep-text-section-prefix)
        set(shuffle -Wl,--shuffle-sections=)
    endif()
    target_compile_options(${target} PRIVATE -ffunction-sections)
    string(LENGTH ${arg_COUNT} width)
    set(all)
    file(GLOB stale ${arg_FOLDER}/[0-9]*)
    list(FILTER stale INCLUDE REGEX "/[0-9]+$")
    foreach(number RANGE 1 ${arg_COUNT})
        string(REPEAT 0 ${width} name)
        string(APPEND name ${number})
        string(LENGTH ${name} length)
        math(EXPR front "${length} - ${width}")
        string(SUBSTRING ${name} ${front} -1 name)
        math(EXPR seed "${arg_SEED} + ${number}")
        set(layout ${target}.layout${name})
        add_executable(${layout} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${target}>)
        set_target_properties(${layout} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME ${name}
            RUNTIME_OUTPUT_DIRECTORY "${arg_FOLDER}")
        target_link_options(${layout} PRIVATE $<TARGET_PROPERTY:${target},LINK_OPTIONS> ${use} ${shuffle}${seed})
        target_link_libraries(${layout} PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
        list(APPEND all ${layout})
        list(REMOVE_ITEM stale ${arg_FOLDER}/${name})
    endforeach()
    if(stale)
        file(REMOVE ${stale})  # left by a configuration with more layouts; loopbench compare would use them
    endif()
    add_custom_target(${target}.layouts DEPENDS ${all})
endfunction()
