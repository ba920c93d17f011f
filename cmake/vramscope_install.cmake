# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` lays down beside the programs and libraries, which say so where they are made. The folder may be
# moved: `vramscope` finds `vramscope-capture` beside itself, and that finds ../lib/libvramscope.so.

set(VRAMSCOPE_DOC_FOLDER share/doc/vramscope)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${VRAMSCOPE_DOC_FOLDER})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${VRAMSCOPE_DOC_FOLDER}/docs FILES_MATCHING PATTERN "*.md")
if(EXISTS ${PROJECT_SOURCE_DIR}/collector/include/vramscope/annotate.h)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/collector/include/ DESTINATION include FILES_MATCHING PATTERN "*.h")
endif()

# For `vramscope demo`, and so that an installed vramscope can be tried where there is no GPU: one sample, and the simulated
# machine. The latter lies in a folder that no loader looks into by itself: its libraries have the names of NVIDIA's.
if(TARGET sample_leak_growth)
    set(VRAMSCOPE_SIM_LIBRARIES vramscope_sim_cuda_library vramscope_sim_cupti_library vramscope_sim_nvml_library)
    # As a plain file, since `--strip` takes the names and lines out of targets, and this one's are what the demo shows.
    install(PROGRAMS $<TARGET_FILE:sample_leak_growth> DESTINATION libexec/vramscope)
    install(TARGETS ${VRAMSCOPE_SIM_LIBRARIES} LIBRARY DESTINATION lib/sim)

    # What ./demo needs, and no tests.
    add_custom_target(vramscope_demo)
    add_dependencies(vramscope_demo vramscope vramscope-capture vramscope_inject sample_leak_growth
                     ${VRAMSCOPE_SIM_LIBRARIES})
endif()
