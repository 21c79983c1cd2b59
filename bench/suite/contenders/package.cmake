# The component `contender` of the installed package contains the parts that a project outside this tree needs to build
# a contender.
set_target_properties(loopbench_recording PROPERTIES EXPORT_NAME recording)
set_target_properties(loopbench_workloads PROPERTIES EXPORT_NAME workloads)
set_target_properties(loopbench_workload_table PROPERTIES EXPORT_NAME workload_table)
set_target_properties(loopbench_contender PROPERTIES EXPORT_NAME contender)
loopbench_install_needs($<TARGET_FILE:loopbench_contender> loopbench_contender contender)
install(TARGETS loopbench_contender loopbench_workloads loopbench_workload_table loopbench_recording
        EXPORT loopbench-contender-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT contender
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/loopbench)
install(EXPORT loopbench-contender-targets NAMESPACE loopbench::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/loopbench COMPONENT contender)
install(FILES loopbench-contender.cmake compiler_flags.cmake layouts.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/loopbench COMPONENT contender)
install(FILES ${PROJECT_SOURCE_DIR}/bench/suite/runtime.hpp ${PROJECT_SOURCE_DIR}/bench/suite/threads_runtime.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/loopbench/bench/suite COMPONENT contender)
install(FILES
            ${PROJECT_SOURCE_DIR}/bench/suite/threads/crew.hpp
            ${PROJECT_SOURCE_DIR}/bench/suite/threads/each_runtime.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/loopbench/bench/suite/threads COMPONENT contender)
install(FILES ${PROJECT_SOURCE_DIR}/reports/model/used_cores.hpp ${PROJECT_SOURCE_DIR}/reports/model/words.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/loopbench/reports/model COMPONENT contender)
install(FILES ${PROJECT_BINARY_DIR}/bench/catalog/families.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/loopbench/bench/catalog COMPONENT contender)
foreach(folder suite/contenders suite/workloads suite/recording catalog)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/${folder}/
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/loopbench/bench/${folder} COMPONENT contender
            FILES_MATCHING PATTERN "*.hpp")
endforeach()
