# SPDX-License-Identifier: Apache-2.0
# One helper for each kind of target, so that warnings and sanitizers are the same everywhere.

function(vramscope_compile_rules target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                                             -Wcast-qual -Wformat=2 -Wimplicit-fallthrough -Werror)
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
endfunction()

# vramscope_sanitize(<target> [level]): what VRAMSCOPE_SANITIZE says, for what is compiled into the target and for all that
# link it. The level is how far the compiler optimises, -O1 unless given. -O0 is for what is mostly other people's templates:
# with checks in them it builds in half the time. A sanitizer's report shows functions and lines, and -g1 has no more.
function(vramscope_sanitize target)
    if(VRAMSCOPE_SANITIZE)
        set(level ${ARGN} -O1)
        list(GET level 0 level)
        string(REPLACE ";" "," list "${VRAMSCOPE_SANITIZE}")
        target_compile_options(${target} PRIVATE ${level} -g1 -fsanitize=${list} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=all)
        target_link_options(${target} PUBLIC -fsanitize=${list})
    endif()
endfunction()

# vramscope_add_library(<name> [UNSANITIZED] [ONE_THREAD] [TOGETHER] [LEVEL -O0] SOURCES ... LINK ...): a static library with
# alias vramscope::<name>. UNSANITIZED is for what is linked into libraries that must load into programs without a sanitizer.
# ONE_THREAD is for what starts no threads and runs in none: ThreadSanitizer has nothing to say about it, and there it need only
# be built quickly. TOGETHER is for a library in which no two files have a name in common that only they see: sanitizer builds
# compile several of its files as one. LEVEL is vramscope_sanitize's.
function(vramscope_add_library name)
    cmake_parse_arguments(ARG "UNSANITIZED;ONE_THREAD;TOGETHER" "LEVEL" "SOURCES;LINK" ${ARGN})
    add_library(vramscope_${name} STATIC ${ARG_SOURCES})
    add_library(vramscope::${name} ALIAS vramscope_${name})
    vramscope_compile_rules(vramscope_${name})
    if(ARG_ONE_THREAD AND VRAMSCOPE_SANITIZE STREQUAL "thread")
        target_compile_options(vramscope_${name} PRIVATE -O0)
    elseif(NOT ARG_UNSANITIZED)
        vramscope_sanitize(vramscope_${name} ${ARG_LEVEL})
    endif()
    if(ARG_TOGETHER AND VRAMSCOPE_SANITIZE)
        set_target_properties(vramscope_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    endif()
    target_link_libraries(vramscope_${name} PUBLIC ${ARG_LINK})
endfunction()

# vramscope_add_program(<name> SOURCES ... LINK ...): an installed executable that carries its C++ runtime.
function(vramscope_add_program name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    vramscope_compile_rules(${name})
    vramscope_sanitize(${name} -O0)
    target_link_libraries(${name} PRIVATE ${ARG_LINK})
    if(VRAMSCOPE_STATIC_DEPS AND NOT VRAMSCOPE_SANITIZE)
        target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
    install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# vramscope_add_gui_library(<name> SOURCES ... LINK ...): a library of the viewer, with Qt's meta-object compiler run over it.
# No sanitizer: Qt's own libraries have none, and what the viewer computes with is checked in analyzer and formats.
function(vramscope_add_gui_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
    add_library(vramscope_${name} STATIC ${ARG_SOURCES})
    add_library(vramscope::${name} ALIAS vramscope_${name})
    vramscope_compile_rules(vramscope_${name})
    set_target_properties(vramscope_${name} PROPERTIES AUTOMOC ON)
    target_compile_definitions(vramscope_${name} PUBLIC QT_NO_KEYWORDS QT_NO_CAST_TO_ASCII)
    target_link_libraries(vramscope_${name} PUBLIC ${ARG_LINK})
endfunction()

# vramscope_add_test(<name> SOURCES ... LINK ... [ENV ...] [TIMEOUT s]): a GoogleTest program, run whole by CTest.
function(vramscope_add_test name)
    cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;ENV;LABELS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    vramscope_compile_rules(${name})
    vramscope_sanitize(${name} -O0)
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" OR VRAMSCOPE_SANITIZE)
        # As one source each: GoogleTest's templates, checks and all, are compiled once instead of for each file. And no test
        # is worth the time that -O3 takes.
        set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    endif()
    if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT VRAMSCOPE_SANITIZE)
        target_compile_options(${name} PRIVATE -O1)
    endif()
    target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 120)
    endif()
    if(VRAMSCOPE_SANITIZE)
        math(EXPR ARG_TIMEOUT "3 * ${ARG_TIMEOUT}")
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${ARG_ENV}" LABELS "${ARG_LABELS}")
endfunction()
