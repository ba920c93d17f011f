// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>

#include "collector/launcher/demo_command.h"
#include "collector/launcher/doctor_command.h"
#include "collector/launcher/recover_command.h"
#include "collector/launcher/run_command.h"

int main(int argc, char** argv) {
    CLI::App app("Records the memory of CUDA jobs. Usually called as `vramscope VERB`.", "vramscope");
    app.require_subcommand(1);
    vramscope::collector::RunCommand run(app);
    vramscope::collector::RecoverCommand recover(app);
    vramscope::collector::DoctorCommand doctor(app);
    vramscope::collector::DemoCommand demo(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 reports by exception; nothing above main sees it. Help is success, anything else is wrong
        // usage.
        const int code = app.exit(error);
        return code == 0 ? 0 : 2;
    }
    if (run.isChosen()) return run.execute();
    if (recover.isChosen()) return recover.execute();
    if (doctor.isChosen()) return doctor.execute();
    if (demo.isChosen()) return demo.execute();
    return 2;
}
