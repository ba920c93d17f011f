// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "collector/launcher/cupti_copies.h"
#include "collector/launcher/cupti_probe.h"
#include "collector/launcher/doctor_groups.h"

namespace vramscope::collector {

namespace {

constexpr const char* kInstall =
    "Install the CUDA toolkit or the PyPI package nvidia-cuda-cupti of the driver's CUDA version, or put the "
    "folder of a "
    "libcupti.so.13 or .12 on LD_LIBRARY_PATH.";

bool isTooNew(const CuptiProbe& cupti, const DriverProbe& driver) {
    return driver.version != 0 && cupti.cudaMajor() > static_cast<unsigned>(driver.version / 1000);
}

Check judge(const std::string& name, const CuptiProbe& cupti, const DriverProbe& driver) {
    if (cupti.path.empty() && cupti.trouble.empty()) {
        return failCheck(name, "no libcupti.so.13 or libcupti.so.12 is found", kInstall);
    }
    if (cupti.path.empty())
        return failCheck(name, fmt::format("a libcupti is found, but {}", cupti.trouble), kInstall);
    const std::string text =
        fmt::format("{}, {}", cupti.version != 0 ? cupti.versionText() : "of unknown version", cupti.path);
    if (isTooNew(cupti, driver)) {
        return failCheck(name, fmt::format("{}: newer than the driver's CUDA {}", text, driver.versionText()),
                         fmt::format("Update the driver, or use a CUPTI of CUDA {}.", driver.version / 1000));
    }
    if (!cupti.trouble.empty()) return failCheck(name, fmt::format("{}: {}", text, cupti.trouble), kInstall);
    return okCheck(name, text);
}

// The copy of the Python packages is a job's only once a framework has loaded something from there; that many
// programs do not is why trouble with it is no failure.
Check judgePython(const CuptiProbe& cupti, const DriverProbe& driver) {
    Check check = judge("cupti of python", cupti, driver);
    if (check.result == CheckResult::Fail) check.result = CheckResult::Warn;
    return check;
}

}  // namespace

Checks checkCupti(const DriverProbe& driver) {
    const CuptiProbe ofJob = probeCuptiOfJob();
    Checks checks{judge("cupti", ofJob, driver)};
    const std::vector<CuptiCopy> copies = findCuptiCopies();
    const std::filesystem::path ofPython = cuptiOfPython(copies);
    if (!ofPython.empty()) checks.push_back(judgePython(probeCuptiCopy(ofPython), driver));

    std::error_code error;
    const std::filesystem::path used = std::filesystem::weakly_canonical(ofJob.path, error);
    for (const CuptiCopy& copy : copies) {
        if (copy.path == used || copy.path == ofPython) continue;
        const CuptiProbe probe = probeCuptiCopy(copy.path);
        checks.push_back(okCheck(
            "other cupti",
            fmt::format("{}, {} ({}), not used", probe.version != 0 ? probe.versionText() : "unreadable",
                        copy.path.string(), copy.origin)));
    }
    return checks;
}

}  // namespace vramscope::collector
