// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fstream>
#include <toml++/toml.h>

#include "analyzer/report/sharing_policy.h"
#include "analyzer/report/style.h"

/// The policy file as text. It comes from a repository that may be a stranger's, so everything in it is
/// bounded.
namespace vramscope::report {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 22;
constexpr std::size_t kMostLines = 10'000;
constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kMostFrames = 256;
constexpr std::string_view kKeys = "rule, owner, user, call, owner_stack, user_stack, reason";

Status refusal(const std::string& file, std::size_t line, const std::string& sentence) {
    return {ErrorKind::Usage, fmt::format("{}:{}: {}", file, line, sentence)};
}

std::size_t lineOf(const toml::node& node) {
    return node.source().begin.line;
}

/// A text without line feeds, which would run into the next one where texts are compared.
bool isGoodText(const std::string& text) {
    return !text.empty() && text.size() <= kLongestText && text.find('\n') == std::string::npos;
}

/// Reads one [[allow]] table.
class LineReader {
public:
    LineReader(const std::string& file, const toml::table& table) : m_file(file), m_table(table) {}

    StatusOr<AllowedSharing> read() {
        AllowedSharing line;
        line.line = lineOf(m_table);
        for (const auto& [key, value] : m_table) {
            VRAMSCOPE_RETURN_IF_ERROR(readKey(key.str(), value, line));
        }
        if (line.rule.empty())
            return refusal(m_file, line.line,
                           "this line names no rule. Add rule = \"corruption.overwrite\" or delete it.");
        return line;
    }

private:
    Status readKey(std::string_view key, const toml::node& value, AllowedSharing& line) {
        if (key == "rule") return readRule(value, line);
        if (key == "owner") return readText(key, value, line.owner);
        if (key == "user") return readText(key, value, line.user);
        if (key == "call") return readText(key, value, line.call);
        if (key == "owner_stack") return readStack(key, value, line.ownerStack);
        if (key == "user_stack") return readStack(key, value, line.userStack);
        std::optional<std::string> unused;
        if (key == "reason") return readText(key, value, unused);
        return refusal(
            m_file, lineOf(value),
            fmt::format("`{}` is no word of a policy. It may say {}.", printable(cut(key, 40)), kKeys));
    }

    Status readRule(const toml::node& value, AllowedSharing& line) const {
        line.rule = value.value_or(std::string());
        if (line.rule == "corruption.overwrite" || line.rule == "sharing.alias") return Status::ok();
        return refusal(
            m_file, lineOf(value),
            "a policy allows sharing: rule must be \"corruption.overwrite\" or \"sharing.alias\". Other "
            "findings are allowed with --allow or a baseline.");
    }

    Status readText(std::string_view key, const toml::node& value, std::optional<std::string>& out) const {
        out = value.value<std::string>();
        if (out && isGoodText(*out)) return Status::ok();
        return refusal(m_file, lineOf(value),
                       fmt::format("{} must be one line of text in quotes, at most {} bytes. Leave it out to "
                                   "allow any.",
                                   key, kLongestText));
    }

    Status readStack(std::string_view key, const toml::node& value,
                     std::optional<std::vector<std::string>>& out) const {
        const toml::array* list = value.as_array();
        bool isGood = list != nullptr && !list->empty() && list->size() <= kMostFrames;
        out.emplace();
        for (std::size_t i = 0; isGood && i < list->size(); ++i) {
            out->push_back((*list)[i].value_or(std::string()));
            isGood = isGoodText(out->back());
        }
        if (isGood) return Status::ok();
        return refusal(
            m_file, lineOf(value),
            fmt::format("{} must be a list of 1 to {} texts \"module!function\", innermost first. Leave "
                        "it out to allow any.",
                        key, kMostFrames));
    }

    const std::string& m_file;
    const toml::table& m_table;
};

StatusOr<std::vector<AllowedSharing>> readTables(const std::string& file, const toml::table& root) {
    std::vector<AllowedSharing> lines;
    for (const auto& [key, value] : root) {
        const toml::array* tables = value.as_array();
        if (key.str() != "allow" || tables == nullptr)
            return refusal(file, lineOf(value),
                           fmt::format("`{}` does not belong here. A policy is a list of [[allow]] tables.",
                                       printable(cut(key.str(), 40))));
        if (tables->size() > kMostLines)
            return refusal(
                file, lineOf(value),
                fmt::format("more than {} [[allow]] tables. Split the policy, or leave out stacks so "
                            "that one line allows more.",
                            kMostLines));
        for (const toml::node& node : *tables) {
            const toml::table* table = node.as_table();
            if (table == nullptr) return refusal(file, lineOf(node), "allow must be written as [[allow]].");
            VRAMSCOPE_ASSIGN_OR_RETURN(AllowedSharing line, LineReader(file, *table).read());
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

std::string inQuotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

void addStack(std::string& text, const char* key, const std::optional<std::vector<std::string>>& frames) {
    if (!frames) return;
    text += fmt::format("{} = [\n", key);
    for (const std::string& frame : *frames)
        text += fmt::format("    {},\n", inQuotes(frame));
    text += "]\n";
}

}  // namespace

StatusOr<SharingPolicy> loadPolicy(const std::filesystem::path& path) {
    const std::string file = path.string();
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        return Status(
            ErrorKind::Usage,
            fmt::format("{}: cannot be read. `vramscope policy learn GOOD.vramscope -o {}` makes one.", file,
                        file));
    }
    std::string text(kLargestFile + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kLargestFile)
        return Status(ErrorKind::Usage, fmt::format("{}: larger than {} MiB; a policy is a short list.", file,
                                                    kLargestFile >> 20));
    try {
        const toml::table root = toml::parse(text, file);
        VRAMSCOPE_ASSIGN_OR_RETURN(auto lines, readTables(file, root));
        return SharingPolicy(path.filename().string(), std::move(lines));
    } catch (const toml::parse_error& error) {
        return refusal(file, error.source().begin.line,
                       fmt::format("no TOML: {}. docs/policy.md has an example.",
                                   printable(cut(error.description(), 300))));
    }
}

std::string policyText(const model::Capture& capture, const std::vector<AllowedSharing>& lines) {
    std::string text = fmt::format(
        "# Sharing between tasks that is meant, as seen in {}. Each table allows one use; what it\n"
        "# leaves out is any. Delete a table to have it told again. docs/policy.md says more.\n",
        printable(capture.path.filename().string()));
    for (const AllowedSharing& line : lines) {
        text += fmt::format("\n[[allow]]\nrule = {}\n", inQuotes(line.rule));
        if (line.owner) text += fmt::format("owner = {}\n", inQuotes(*line.owner));
        if (line.user) text += fmt::format("user = {}\n", inQuotes(*line.user));
        if (line.call) text += fmt::format("call = {}\n", inQuotes(*line.call));
        addStack(text, "owner_stack", line.ownerStack);
        addStack(text, "user_stack", line.userStack);
    }
    return text;
}

}  // namespace vramscope::report
