# SPDX-License-Identifier: Apache-2.0
# Language level, output folders, and the switches a builder may set.

option(VRAMSCOPE_TESTS "Build the tests and benchmarks" ON)
option(VRAMSCOPE_VIEWER "Build the viewer, where Qt 6 Widgets is found" ON)
option(VRAMSCOPE_STATIC_DEPS "Link libraries into the binaries, so the installed folder runs elsewhere" ON)
set(VRAMSCOPE_SANITIZE "" CACHE STRING "Sanitizers for everything that is not injected, for example 'address;undefined'")
set(VRAMSCOPE_SHARED_DATA "" CACHE PATH "Folder with recorded framework snapshots for tests; tests that need it skip without it")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
# No run paths in what is installed: programs carry their libraries, and find each other by where they are. CMake would
# reserve room for one with colons, which the loader takes for the current folder.
set(CMAKE_INSTALL_RPATH "")
