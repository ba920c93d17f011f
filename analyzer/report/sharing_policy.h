// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/detectors/sharing.h"
#include "analyzer/model/capture.h"
#include "formats/status.h"

namespace vramscope::report {

/// Sharing that a project means, as a line of a policy file allows it. What a line leaves out is any.
struct AllowedSharing {
    std::string rule;                                      ///< "corruption.overwrite", "sharing.alias"
    std::optional<std::string> owner{};                    ///< task
    std::optional<std::string> user{};                     ///< task
    std::optional<std::string> call{};                     ///< driver call or kernel
    std::optional<std::vector<std::string>> ownerStack{};  ///< "module!function", innermost first
    std::optional<std::vector<std::string>> userStack{};
    std::size_t line = 0;  ///< in its file, from 1 on

    bool operator==(const AllowedSharing&) const = default;
};

/// The lines of one policy file. Immutable once made.
class SharingPolicy {
public:
    /// No file: nothing is allowed.
    SharingPolicy() = default;
    SharingPolicy(std::string name, std::vector<AllowedSharing> lines);

    bool isLoaded() const { return m_isLoaded; }
    /// The file's name without its folder.
    const std::string& name() const { return m_name; }
    const std::vector<AllowedSharing>& lines() const { return m_lines; }
    /// The first line that allows it, all of its fields given; nullopt when none does.
    std::optional<std::size_t> lineFor(const AllowedSharing& sharing) const;

private:
    bool m_isLoaded = false;
    std::string m_name;
    std::vector<AllowedSharing> m_lines;
    /// For each set of fields that lines give: number of the line by the fields' text.
    std::map<unsigned, std::map<std::string, std::size_t>> m_byFields;
};

/// Reads a policy file (TOML, docs/policy.md). A sentence that names file, line and what to do when it cannot
/// be read; nothing of it counts then.
StatusOr<SharingPolicy> loadPolicy(const std::filesystem::path& path);

/// The text of a policy file that allows `lines`.
std::string policyText(const model::Capture& capture, const std::vector<AllowedSharing>& lines);

/// `sharing` as a line would say it. A stack without frames is left out.
AllowedSharing describeSharing(const model::Capture& capture, const detectors::Sharing& sharing);

/// How much of a capture's sharing a policy allowed.
struct PolicyCount {
    std::string file;       ///< the policy's name
    std::int64_t uses = 0;  ///< calls
    std::int64_t usedLines = 0;
    std::int64_t lines = 0;

    /// "allowed by policy.toml: 3 uses, by 2 of 5 lines".
    std::string text() const;
};

/// Applies a policy to one capture and counts.
class PolicyUse {
public:
    PolicyUse(const SharingPolicy& policy, const model::Capture& capture)
        : m_policy(policy), m_capture(capture), m_hits(policy.lines().size()) {}

    /// For detectAll(); valid as long as this. Empty without a policy.
    detectors::SharingFilter filter();

    /// What was allowed so far; nullopt without a policy.
    std::optional<PolicyCount> count() const;

private:
    const SharingPolicy& m_policy;
    const model::Capture& m_capture;
    std::vector<std::int64_t> m_hits;
    std::int64_t m_allowed = 0;
};

/// What tasks of the capture do with each other's memory, each once, in a fixed order: what a policy learns.
std::vector<AllowedSharing> sharingIn(const model::Capture& capture);

}  // namespace vramscope::report
