# SPDX-License-Identifier: Apache-2.0
# One helper for each kind of target, so that warnings and sanitizers are the same everywhere.

function(vramscope_compile_rules target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                                             -Wcast-qual -Wformat=2 -Wimplicit-fallthrough -Werror)
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
endfunction()

function(vramscope_sanitize target)
    if(VRAMSCOPE_SANITIZE)
        string(REPLACE ";" "," list "${VRAMSCOPE_SANITIZE}")
        target_compile_options(${target} PUBLIC -fsanitize=${list} -fno-omit-frame-pointer -fno-sanitize-recover=all)
        target_link_options(${target} PUBLIC -fsanitize=${list})
    endif()
endfunction()

# vramscope_add_library(<name> [UNSANITIZED] SOURCES ... LINK ...): a static library with alias vramscope::<name>.
# UNSANITIZED is for what is linked into libraries that must load into programs without a sanitizer.
function(vramscope_add_library name)
    cmake_parse_arguments(ARG "UNSANITIZED" "" "SOURCES;LINK" ${ARGN})
    add_library(vramscope_${name} STATIC ${ARG_SOURCES})
    add_library(vramscope::${name} ALIAS vramscope_${name})
    vramscope_compile_rules(vramscope_${name})
    if(NOT ARG_UNSANITIZED)
        vramscope_sanitize(vramscope_${name})
    endif()
    target_link_libraries(vramscope_${name} PUBLIC ${ARG_LINK})
endfunction()

# vramscope_add_program(<name> SOURCES ... LINK ...): an installed executable that carries its C++ runtime.
function(vramscope_add_program name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    vramscope_compile_rules(${name})
    vramscope_sanitize(${name})
    target_link_libraries(${name} PRIVATE ${ARG_LINK})
    if(VRAMSCOPE_STATIC_DEPS AND NOT VRAMSCOPE_SANITIZE)
        target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
    install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# vramscope_add_test(<name> SOURCES ... LINK ... [ENV ...] [TIMEOUT s]): a GoogleTest program, run whole by CTest.
function(vramscope_add_test name)
    cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;ENV;LABELS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    vramscope_compile_rules(${name})
    vramscope_sanitize(${name})
    target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 120)
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${ARG_ENV}" LABELS "${ARG_LABELS}")
endfunction()
