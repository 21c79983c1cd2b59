# Tests the contender component of the installed package: the real command must find and run a contender that a project
# outside the source tree builds.
set(mine ${CMAKE_CURRENT_BINARY_DIR}/contender)

add_test(NAME package.the_contender_kit_installs
    COMMAND sh -ec "rm -rf '${mine}' && '${CMAKE_COMMAND}' --install '${PROJECT_BINARY_DIR}' --prefix '${prefix}' \
        --component contender")
add_test(NAME package.an_outside_project_builds_a_contender
    COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/contender ${mine}
        --build-generator ${CMAKE_GENERATOR} --build-noclean
        --build-options -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
            -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}"
            "-DCMAKE_CXX_FLAGS_${build_type_upper}=${CMAKE_CXX_FLAGS_${build_type_upper}}"
            -DCMAKE_RUNTIME_OUTPUT_DIRECTORY=${mine}/bin)
add_test(NAME package.the_outside_contender_is_listed_and_run
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/run_contender.sh $<TARGET_FILE:loopbench> ${mine}/bin ${mine}/report)

set_tests_properties(package.the_contender_kit_installs PROPERTIES
    FIXTURES_SETUP contender_kit FIXTURES_REQUIRED installed_loop)
set_tests_properties(package.an_outside_project_builds_a_contender PROPERTIES
    FIXTURES_SETUP outside_contender FIXTURES_REQUIRED "contender_kit;installed_loop")
set_tests_properties(package.the_outside_contender_is_listed_and_run PROPERTIES FIXTURES_REQUIRED outside_contender)

# lld and mold shuffle functions with different options, so each installed linker gets its own test.
find_program(LOOPBENCH_LLD NAMES ld.lld-19 ld.lld)
find_program(LOOPBENCH_MOLD NAMES mold)
foreach(linker IN ITEMS LLD MOLD)
    if(NOT LOOPBENCH_${linker})
        continue()
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/layouts-${linker})
    add_test(NAME package.layouts_are_linked_by_${linker}
        COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/layouts ${folder}
            --build-generator ${CMAKE_GENERATOR}
            --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_BUILD_TYPE=Release
                -DLOOPBENCH_SHUFFLING_LINKER=${LOOPBENCH_${linker}}
            --test-command ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/layouts.py
                ${folder}/small ${folder}/small.layouts ${CMAKE_NM} ${CMAKE_READELF})
endforeach()

if(LOOPBENCH_SHUFFLING_LINKER)
    add_test(NAME package.layouts_of_the_outside_contender_differ_in_the_order_of_their_functions
        COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/layouts.py ${mine}/bin/mine ${mine}/bin/mine.layouts
            ${CMAKE_NM} ${CMAKE_READELF})
    set_tests_properties(package.layouts_of_the_outside_contender_differ_in_the_order_of_their_functions PROPERTIES
        FIXTURES_REQUIRED outside_contender)
endif()
