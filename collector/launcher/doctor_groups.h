// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/launcher/doctor_check.h"
#include "collector/launcher/driver_probe.h"

namespace vramscope::collector {

// The groups of checks, one file each. They change nothing on the machine but for folders that they remove
// again, and run code of others (driver, CUPTI, NVML, Python) in child processes only.

Checks checkInstallation();  ///< doctor_installation.cpp: versions, our library, our siblings
Checks checkDriver(const DriverProbe& driver);  ///< doctor_driver.cpp: libcuda and its devices
Checks checkCupti(
    const DriverProbe& driver);  ///< doctor_cupti.cpp: the copy that a job would use, and all others
Checks checkExactEngine();       ///< doctor_exact.cpp: whether `run --engine exact` would work; never fails
Checks checkNvml();              ///< doctor_nvml.cpp
Checks checkOtherTools();        ///< doctor_tools.cpp: who else wants to be in the job
Checks checkMemory();            ///< doctor_memory.cpp: where rings go
Checks checkKernel();            ///< doctor_kernel.cpp: system calls and the clock

}  // namespace vramscope::collector
