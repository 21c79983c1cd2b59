# Puts every C++ target of a project on the loops of loopbench, without a change to it:
# cmake -DCMAKE_PROJECT_INCLUDE=PREFIX/lib/cmake/loopbench/loopbench-asio-dropin.cmake
find_package(loopbench REQUIRED COMPONENTS asio PATHS ${CMAKE_CURRENT_LIST_DIR} NO_DEFAULT_PATH)
link_libraries(loopbench::asio-dropin)
