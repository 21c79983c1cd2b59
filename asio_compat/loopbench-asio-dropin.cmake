# Builds every C++ target of a project on loopbench's loops. The project itself stays unchanged; configure it with:
# cmake -DCMAKE_PROJECT_INCLUDE=PREFIX/lib/cmake/loopbench/loopbench-asio-dropin.cmake
find_package(loopbench REQUIRED COMPONENTS asio PATHS ${CMAKE_CURRENT_LIST_DIR} NO_DEFAULT_PATH)
link_libraries(loopbench::asio-dropin)
