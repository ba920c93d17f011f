# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` lays down beside the programs and libraries, which say so where they are made. The folder may be
# moved: `vramscope` finds `vramscope-capture` beside itself, and that finds ../lib/libvramscope.so.

set(VRAMSCOPE_DOC_FOLDER share/doc/vramscope)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${VRAMSCOPE_DOC_FOLDER})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${VRAMSCOPE_DOC_FOLDER}/docs FILES_MATCHING PATTERN "*.md")
if(EXISTS ${PROJECT_SOURCE_DIR}/collector/include/vramscope/annotate.h)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/collector/include/ DESTINATION include FILES_MATCHING PATTERN "*.h")
endif()

# What ./demo needs, and no tests: the programs, the library, one sample and the simulated machine.
if(TARGET sample_leak_growth)
    add_custom_target(vramscope_demo)
    foreach(target vramscope vramscope-capture vramscope_inject sample_leak_growth vramscope_sim_cuda_library
            vramscope_sim_cupti_library vramscope_sim_nvml_library)
        if(TARGET ${target})
            add_dependencies(vramscope_demo ${target})
        endif()
    endforeach()
endif()
