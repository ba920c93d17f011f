// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/run_command.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "collector/launcher/capture_name.h"
#include "collector/launcher/child_process.h"
#include "collector/launcher/closing_summary.h"
#include "collector/launcher/joined_run.h"
#include "collector/launcher/sibling_program.h"
#include "collector/recorder/recorder.h"
#include "collector/recorder/session_tasks.h"
#include "collector/recorder/tell_user.h"
#include "collector/recorder/tick_clock.h"
#include "formats/command_text.h"

namespace vramscope::collector {

namespace {

constexpr int kOwnFailure = 125;
constexpr int kNoVerdict = 3;

// Without likely secrets, as the collector writes down the command lines of processes.
std::string joined(const std::vector<std::string>& words) {
    std::string raw;
    for (const std::string& word : words)
        raw.append(word).push_back('\0');
    // What is hidden is at most as much longer as *** is than nothing.
    std::string text(raw.size() + 3 * words.size() + 1, '\0');
    formats::joinCommand(raw.data(), raw.size(), text.data(), text.size());
    text.resize(std::strlen(text.c_str()));
    return text;
}

std::string complaintAboutRing(const std::string& text) {
    constexpr std::uint64_t kLeast = 1ull << 20;
    constexpr std::uint64_t kMost = 1ull << 40;
    const std::uint64_t bytes = std::strtoull(text.c_str(), nullptr, 10);
    if (text.find('-') == std::string::npos && bytes >= kLeast && bytes <= kMost) return "";
    return "a ring has 1MiB at least; 16MiB is a usual size";
}

std::string complaintAboutTaskRule(const std::string& text) {
    const StatusOr<TaskRule> rule = parseTaskRule(text);
    return rule.isOk() ? "" : rule.status().message();
}

std::string complaintAboutJob(const std::string& text) {
    const std::size_t split = text.find('=');
    const bool isWhole = split != std::string::npos && split > 0 && split < 64 && split + 1 < text.size();
    return isWhole ? "" : "a job is NAME=COMMAND, for example train='python a.py'";
}

// The first that failed, in the order of the command line.
int exitCodeOf(const std::vector<ProcessEnd>& ends) {
    for (const ProcessEnd& end : ends) {
        if (const int code = ChildProcess::exitCodeOf(end); code != 0) return code;
    }
    return 0;
}

void showProgress(const std::string& text) {
    if (::isatty(STDERR_FILENO) != 0) tellUser("\rvramscope: {} \033[K", text);
}

void clearProgress() {
    if (::isatty(STDERR_FILENO) != 0) tellUser("\r\033[K");
}

}  // namespace

namespace {

bool actsInJob(const ActingOptions& acting) {
    return !acting.guard.empty() || acting.guardsEveryLaunch || acting.poisons || !acting.watch.empty() ||
           acting.perturbSeed.has_value() || acting.isParanoid;
}

}  // namespace

RunCommand::RunCommand(CLI::App& app) {
    m_verb = app.add_subcommand("run", "record a job and every process it starts");
    m_verb->footer(
        "Examples:\n"
        "  vramscope run -- python train.py\n"
        "  vramscope run -o nightly.vramscope --check -- ./build/tests\n"
        "  vramscope run --session both -- ./server    and in another terminal\n"
        "  vramscope run --join both -- ./client");
    m_verb->positionals_at_end();
    m_verb->add_option("-o,--output", m_output,
                       "capture to write (%p pid, %h host, %r rank); else the next free name");
    m_verb->add_flag("-f,--force", m_overwrite, "replace the file given with -o");
    m_verb->add_flag("--check", m_check, "fail with 1 if the finished capture does not pass the gate");
    m_verb->add_flag("-q,--quiet", m_quiet, "print no closing summary");
    m_verb->add_flag("--require", m_recording.require, "end the job if it cannot be recorded");
    m_verb
        ->add_option(
            "--engine", m_recording.engine,
            "how calls are seen: cupti, or exact, which also sees what each kernel reads and writes, at "
            "a price (needs the Compute Sanitizer API)")
        ->check(CLI::IsMember({"cupti", "exact"}));
    m_verb->add_option("--record", m_recording.recordMode, "how much: allocs, launches or all")
        ->check(CLI::IsMember({"allocs", "launches", "all"}));
    m_verb->add_option("--on-full", m_recording.onFull, "when a ring is full: wait (briefly) or drop")
        ->check(CLI::IsMember({"wait", "drop"}));
    m_verb->add_option("--ring", m_recording.ringBytes, "ring size of each process, for example 16MiB")
        ->transform(CLI::AsSizeValue(false).description(""))
        ->type_name("SIZE")
        ->check(complaintAboutRing, "");
    m_verb->add_flag("--launch-stacks", m_recording.launchStacks, "take call stacks at launches, too");
    m_recording.acting.addTo(*m_verb);
    m_verb->add_flag_callback(
        "--no-launch-hooks", [this] { m_recording.hooksLaunches = false; },
        "see launches through CUPTI only: slower, and needs no look into the job's data");
    m_verb
        ->add_option("--task-by", m_recording.taskRules,
                     "what makes a task where the program names none: process, thread, stream, context or "
                     "range:REGEX (NVTX ranges); repeatable, the first that fits counts")
        ->check(complaintAboutTaskRule, "")
        ->type_name("RULE")
        ->allow_extra_args(false);
    m_verb
        ->add_option("--job", m_jobs,
                     "a job by name, NAME=COMMAND for the shell; repeatable, all run at the same time and "
                     "each is a task")
        ->check(complaintAboutJob, "")
        ->type_name("NAME=COMMAND")
        ->allow_extra_args(false);
    m_verb
        ->add_option("--session", m_session,
                     "a name for this recording, under which `run --join NAME` adds jobs to it")
        ->check([](const std::string& text) {
            return isSessionName(text) ? std::string()
                                       : std::string(
                                             "a session's name has letters, digits, dots, dashes and "
                                             "underscores, and does not begin with vramscope-");
        })
        ->type_name("NAME");
    m_verb
        ->add_option(
            "--join", m_join,
            "put the job into a recording that runs, by the name that its --session gave it or by its "
            "folder; how it is recorded is settled there")
        ->type_name("SESSION");
    m_verb->add_option("command", m_command, "the job");
    m_verb->final_callback([this] {
        if (m_command.empty() == m_jobs.empty()) {
            throw CLI::ValidationError(m_jobs.empty()
                                           ? "run: give the job, as in `vramscope run -- python train.py`"
                                           : "run: give a job or --job, not both");
        }
        refuseOptionsBesideJoin();
        const Status settled = m_recording.acting.settle(m_recording.recordMode, m_recording.launchStacks);
        if (!settled.isOk()) throw CLI::ValidationError("run: " + settled.message());
        if (m_recording.engine == "exact" && m_recording.recordMode == "allocs") {
            throw CLI::ValidationError(
                "run: --engine exact is about what launches do; leave out --record allocs");
        }
        if (m_recording.engine == "exact" && actsInJob(m_recording.acting)) {
            throw CLI::ValidationError(
                "run: --engine exact sees every access itself; leave out what acts in the job");
        }
    });
}

void RunCommand::refuseOptionsBesideJoin() const {
    if (m_join.empty()) return;
    for (const CLI::Option* option : m_verb->get_options()) {
        const std::string name = option->get_name();
        const bool isOurs = name == "--join" || name == "--job" || name == "--require" || name == "--quiet" ||
                            name == "command" || option->count() == 0;
        if (!isOurs)
            throw CLI::ValidationError("run: " + name +
                                       " is settled where the session was started, not beside --join");
    }
}

int RunCommand::execute() {
    outliveFailedWrites();
    if (!m_join.empty()) return runJoined();
    const std::filesystem::path library = injectedLibrary();
    if (library.empty()) {
        return runUnrecorded({ErrorKind::System,
                              "libvramscope.so is not beside this program; the installation is incomplete."});
    }
    if (const Status named = checkSessionName(); !named.isOk()) return runUnrecorded(named);
    StatusOr<SessionDirectory> session = SessionDirectory::create();
    if (!session.isOk()) return runUnrecorded(session.status());
    if (const Status locked = session->lock(); !locked.isOk()) return runUnrecorded(locked);
    m_recording.clockKind = bestClock();
    StatusOr<EnvironmentChanges> environment = jobEnvironment(*session, library, m_recording);
    const int code =
        environment.isOk() ? runRecorded(*session, *environment) : runUnrecorded(environment.status());
    session->remove();
    return code;
}

std::vector<RunCommand::Job> RunCommand::jobs() const {
    if (m_jobs.empty()) return {{"", m_command}};
    std::vector<Job> all;
    for (const std::string& job : m_jobs) {
        const std::size_t split = job.find('=');
        all.push_back({job.substr(0, split), {"/bin/sh", "-c", job.substr(split + 1)}});
    }
    return all;
}

StatusOr<std::vector<ChildProcess>> RunCommand::start(const EnvironmentChanges& environment) const {
    std::vector<ChildProcess> children;
    for (const Job& job : jobs()) {
        EnvironmentChanges changes = environment;
        if (!job.name.empty() && !environment.empty()) changes.emplace_back("VRAMSCOPE_JOB", job.name);
        const StatusOr<ChildProcess> child = ChildProcess::start(job.command, changes);
        if (child.isOk()) {
            children.push_back(*child);
            continue;
        }
        for (const ChildProcess& other : children)
            ::kill(other.pid(), SIGTERM);
        static_cast<void>(ChildProcess::waitForAll(children));
        return child.status();
    }
    return children;
}

Status RunCommand::checkSessionName() const {
    if (m_session.empty()) return Status::ok();
    for (const SessionDirectory& other : SessionDirectory::running()) {
        if (other.name() == m_session)
            return {
                ErrorKind::Usage,
                fmt::format("a session {0} is being recorded already; `vramscope run --join {0} -- COMMAND` "
                            "adds a job to it.",
                            m_session)};
    }
    return Status::ok();
}

int RunCommand::runJoined() {
    const StatusOr<JoinedSession> joinedSession =
        joinSession(m_join, joined(m_jobs.empty() ? m_command : m_jobs), m_recording.require);
    if (!joinedSession.isOk()) return runUnrecorded(joinedSession.status());
    const StatusOr<std::vector<ChildProcess>> children = start(joinedSession->environment);
    if (!children.isOk()) return cannotStart(children.status());
    for (const ChildProcess& child : *children)
        joinedSession->place.childStarted(static_cast<std::uint32_t>(child.pid()));
    const std::vector<ProcessEnd> ends =
        ChildProcess::waitForAll(*children, [&](const ChildProcess& child, const ProcessEnd& end) {
            joinedSession->place.childEnded(static_cast<std::uint32_t>(child.pid()), end);
        });
    if (!SessionSettings::read(joinedSession->session).isOk())
        tellUser(
            "vramscope: session {} ended before the job did: its capture lacks what the job did since.\n",
            m_join);
    return exitCodeOf(ends);
}

int RunCommand::cannotStart(const Status& status) const {
    tellUser("vramscope: cannot run {}\n", status.message());
    return ChildProcess::lastStartError() == ENOENT ? 127 : 126;
}

// The job comes first: what keeps us from recording does not keep it from running.
int RunCommand::runUnrecorded(const Status& reason) {
    tellUser("vramscope: cannot record: {}\n", reason.message());
    if (m_recording.require) return kOwnFailure;
    tellUser("  The job runs on without recording.\n");
    const StatusOr<std::vector<ChildProcess>> children = start({});
    if (!children.isOk()) return cannotStart(children.status());
    const int code = exitCodeOf(ChildProcess::waitForAll(*children));
    if (!m_check || code != 0) return code;
    tellUser("vramscope: --check cannot give a verdict: nothing was recorded.\n");
    return kNoVerdict;
}

int RunCommand::runRecorded(const SessionDirectory& session, const EnvironmentChanges& environment) {
    const std::filesystem::path capture =
        m_output.empty() ? freeCaptureName(m_jobs.empty() ? m_command[0] : jobs().front().name)
                         : expandCaptureName(m_output);
    StatusOr<std::unique_ptr<Recorder>> recorder =
        Recorder::start(session, {capture, m_overwrite, joined(m_jobs.empty() ? m_command : m_jobs),
                                  m_recording.recordMode, m_recording.clockKind, m_recording.taskRules});
    if (!recorder.isOk()) return runUnrecorded(recorder.status());

    // Whoever cannot be joined can still record.
    if (const Status offered = offerSession(session, m_session, environment); !offered.isOk())
        tellUser("vramscope: nothing can join this session: {}\n", offered.message());
    if (!m_session.empty() && !m_quiet)
        tellUser("vramscope: session {0}; `vramscope run --join {0} -- COMMAND` adds a job to it\n",
                 m_session);
    if (!m_quiet) tellUser("{}", m_recording.acting.expectedCost());
    const StatusOr<std::vector<ChildProcess>> children = start(environment);
    if (!children.isOk()) {
        (*recorder)->finish(nullptr);
        std::error_code error;
        std::filesystem::remove(capture, error);
        return cannotStart(children.status());
    }
    for (const ChildProcess& child : *children)
        (*recorder)->expectChild(static_cast<std::uint32_t>(child.pid()));
    const std::vector<ProcessEnd> ends =
        ChildProcess::waitForAll(*children, [&](const ChildProcess& child, const ProcessEnd& end) {
            (*recorder)->childEnded(static_cast<std::uint32_t>(child.pid()), end);
        });
    waitForJoinedJobs(session, [&] { (*recorder)->ownJobEnded(); });

    const RecorderSummary summary = (*recorder)->finish(m_quiet ? nullptr : showProgress);
    clearProgress();
    if (!m_quiet) printClosingSummary(summary, capture);
    return applyGate(exitCodeOf(ends), capture);
}

int RunCommand::applyGate(int childCode, const std::filesystem::path& capture) const {
    if (!m_check) return childCode;
    const std::optional<int> gate = runSibling("vramscope", {"check", capture.string()}, nullptr);
    if (!gate) {
        tellUser("vramscope: --check needs the program vramscope beside this one.\n");
        return childCode != 0 ? childCode : kOwnFailure;
    }
    return childCode != 0 ? childCode : *gate;
}

}  // namespace vramscope::collector
