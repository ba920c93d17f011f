// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the test's own NVML answers. The test finds the one instance through `fakeNvmlAnswers`.
struct FakeNvmlAnswers {
    int initResult = 0;
    int processResult = 0;
    int memoryResult = 0;
    unsigned gpuCount = 1;
    unsigned processCount = 0;  ///< compute processes: pid 1000 + i with (i + 1) MiB each
    unsigned grownBy = 0;       ///< processes that start between two questions
    bool hidesBytes = false;    ///< pids are told, bytes are not
    bool hasMig = false;        ///< the first GPU has instances at places 0 and 2
    int running = 0;            ///< init calls less shutdown calls
    int processQuestions = 0;
};
