# SPDX-License-Identifier: Apache-2.0
# Finds what we build on. A missing optional part is recorded in VRAMSCOPE_LEFT_OUT with its reason, and the
# rest is built; vramscope_summary prints the list.

set(VRAMSCOPE_LEFT_OUT "")

find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
find_path(VRAMSCOPE_XXHASH_INCLUDE xxhash.h REQUIRED)
find_path(VRAMSCOPE_TOML_INCLUDE toml++/toml.h REQUIRED)

# find_static(<target> <name> <dependencies...>): an imported target for a library, preferring its archive when
# VRAMSCOPE_STATIC_DEPS is on so that the installed folder does not depend on the machine it was built on.
function(find_static target name)
    if(VRAMSCOPE_STATIC_DEPS)
        find_library(VRAMSCOPE_${name}_LIBRARY NAMES lib${name}.a ${name} REQUIRED)
    else()
        find_library(VRAMSCOPE_${name}_LIBRARY NAMES ${name} REQUIRED)
    endif()
    add_library(${target} INTERFACE IMPORTED)
    target_link_libraries(${target} INTERFACE ${VRAMSCOPE_${name}_LIBRARY} ${ARGN})
endfunction()

# {fmt}: see fmt_once.cpp. Clang cannot keep inline functions; it gets the header-only form.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-fkeep-inline-functions VRAMSCOPE_KEEPS_INLINE_FUNCTIONS)
if(VRAMSCOPE_KEEPS_INLINE_FUNCTIONS)
    add_library(vramscope_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt_once.cpp)
    add_library(vramscope::dep_fmt ALIAS vramscope_fmt)
    target_compile_definitions(vramscope_fmt PRIVATE FMT_HEADER_ONLY)
    target_compile_options(vramscope_fmt PRIVATE -fkeep-inline-functions)
else()
    add_library(vramscope::dep_fmt ALIAS fmt::fmt-header-only)
endif()
find_static(vramscope::dep_z z)
find_static(vramscope::dep_lzma lzma)
find_static(vramscope::dep_bz2 bz2)
find_static(vramscope::dep_zstd zstd)
find_static(vramscope::dep_elf elf vramscope::dep_z vramscope::dep_zstd)
find_static(vramscope::dep_dw dw vramscope::dep_elf vramscope::dep_lzma vramscope::dep_bz2 vramscope::dep_z)
find_static(vramscope::dep_sqlite sqlite3 Threads::Threads m ${CMAKE_DL_LIBS})

# The capture side needs the CUDA and CUPTI headers only: nothing of NVIDIA's is linked.
find_path(VRAMSCOPE_CUDA_INCLUDE cuda.h
          HINTS ${VRAMSCOPE_CUDA_ROOT}/include $ENV{CUDA_HOME}/include /usr/local/cuda/include)
find_path(VRAMSCOPE_CUPTI_INCLUDE cupti.h
          HINTS ${VRAMSCOPE_CUDA_ROOT}/include ${VRAMSCOPE_CUDA_ROOT}/extras/CUPTI/include $ENV{CUDA_HOME}/include
                $ENV{CUDA_HOME}/extras/CUPTI/include
                /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include)
if(VRAMSCOPE_CUDA_INCLUDE AND VRAMSCOPE_CUPTI_INCLUDE)
    set(VRAMSCOPE_WITH_CUDA ON)
    add_library(vramscope::cuda_headers INTERFACE IMPORTED)
    target_include_directories(vramscope::cuda_headers SYSTEM INTERFACE ${VRAMSCOPE_CUDA_INCLUDE}
                                                                        ${VRAMSCOPE_CUPTI_INCLUDE})
else()
    set(VRAMSCOPE_WITH_CUDA OFF)
    list(APPEND VRAMSCOPE_LEFT_OUT "collector, samples: no CUDA and CUPTI headers found (set VRAMSCOPE_CUDA_ROOT)")
endif()

find_program(VRAMSCOPE_NVCC nvcc HINTS ${VRAMSCOPE_CUDA_ROOT}/bin $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
if(VRAMSCOPE_WITH_CUDA AND NOT VRAMSCOPE_NVCC)
    list(APPEND VRAMSCOPE_LEFT_OUT "GPU builds of the samples: no nvcc found")
endif()

# The viewer. Qt is linked as the distribution ships it: its plugins could not come along in one file anyway.
set(VRAMSCOPE_WITH_VIEWER OFF)
if(VRAMSCOPE_VIEWER)
    find_package(Qt6 6.4 QUIET COMPONENTS Widgets)
    if(Qt6Widgets_FOUND)
        set(VRAMSCOPE_WITH_VIEWER ON)
        find_package(Qt6 6.4 QUIET COMPONENTS Svg)
        if(NOT Qt6Svg_FOUND)
            list(APPEND VRAMSCOPE_LEFT_OUT "SVG export of the viewer: no Qt 6.4 Svg found (Debian: qt6-svg-dev)")
        endif()
    else()
        list(APPEND VRAMSCOPE_LEFT_OUT "viewer: no Qt 6.4 Widgets found (Debian: qt6-base-dev)")
    endif()
else()
    list(APPEND VRAMSCOPE_LEFT_OUT "viewer: switched off by VRAMSCOPE_VIEWER")
endif()
