// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/recover_command.h"

#include <fmt/format.h>

#include "collector/launcher/closing_summary.h"
#include "collector/recorder/recorder.h"
#include "collector/recorder/tell_user.h"

namespace vramscope::collector {

namespace {

int fail(const Status& status) {
    tellUser("vramscope: {}\n", status.message());
    return status.kind() == ErrorKind::Unreadable ? 3 : 4;
}

}  // namespace

RecoverCommand::RecoverCommand(CLI::App& app) {
    m_verb = app.add_subcommand("recover", "finish a recording whose recorder was killed");
    m_verb->footer("Example:\n  vramscope recover /dev/shm/vramscope-Ab12Cd");
    m_verb->add_option("session", m_directory, "the session's folder, /dev/shm/vramscope-* or under TMPDIR")
        ->required();
}

int RecoverCommand::execute() {
    StatusOr<SessionDirectory> session = SessionDirectory::open(m_directory);
    if (!session.isOk()) return fail(session.status());
    if (const Status locked = session->lock(); !locked.isOk()) return fail(locked);
    const StatusOr<std::filesystem::path> capture = session->readCapturePath();
    if (!capture.isOk()) return fail(capture.status());
    const StatusOr<RecorderSummary> summary = Recorder::recover(*session, nullptr);
    if (!summary.isOk()) return fail(summary.status());
    printClosingSummary(*summary, *capture);
    if (!summary->status.isOk()) return fail(summary->status);
    session->remove();
    return 0;
}

}  // namespace vramscope::collector
