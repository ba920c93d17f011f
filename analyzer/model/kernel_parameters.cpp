// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/kernel_parameters.h"

#include <algorithm>
#include <utility>

namespace vramscope::model {
namespace {

constexpr std::size_t kLongestName = 4096;
constexpr int kDeepestNesting = 64;

struct Type {
    std::int64_t sizeBytes = 0;  ///< 0: the name does not tell
    bool isPointer = false;
    bool isConst = false;
    bool pointsToConst = false;
};

/// Steps through a mangled name, expanding nothing, so that its work is bounded by the name's length.
class NameReader {
public:
    explicit NameReader(std::string_view text) : m_text(text) {}

    bool ok() const { return m_ok; }
    bool atEnd() const { return m_at >= m_text.size(); }

    /// A function's name; true when it ends in template arguments and so says what it returns, too.
    bool readName() {
        take('L');
        if (take('N')) return readNested(false);
        if (take('S') && !take('t')) readSubstitution();
        readSource();
        if (peek() != 'I') return false;
        m_known.emplace_back();  // the template's name
        m_arguments = readTemplateArguments();
        return true;
    }

    Type readType() {
        const DepthGuard guard(*this);
        if (!m_ok) return {};
        const char c = next();
        if (const std::int64_t bytes = bytesOfBuiltin(c); bytes > 0) return {bytes, false, false, false};
        switch (c) {
            case 'v':
                return {};
            case 'r':
            case 'V':
            case 'K':
                return readQualified(c);
            case 'P':
            case 'R':
            case 'O': {
                const Type target = readType();
                return know({8, c == 'P', false, target.isConst});
            }
            case 'D':
                return readSpecial();
            case 'S':
                if (!take('t')) return readKnownType();
                readSource();
                know({});
                return readInstance();
            case 'T':
                know(templateArgument(readSequenceNumber()));
                return readInstance();
            case 'N':
                readNested(true);
                return {};
            case 'F':
                while (m_ok && !take('E'))
                    readType();
                return know({});
            case 'A':
                readDigits();
                if (!take('_')) m_ok = false;
                return know({0, false, readType().isConst, false});
            default:
                --m_at;
                readSource();
                know({});
                return readInstance();
        }
    }

private:
    struct DepthGuard {
        explicit DepthGuard(NameReader& owner) : reader(owner) {
            if (++reader.m_depth > kDeepestNesting) reader.m_ok = false;
        }
        ~DepthGuard() { --reader.m_depth; }
        DepthGuard(const DepthGuard&) = delete;
        DepthGuard& operator=(const DepthGuard&) = delete;
        NameReader& reader;
    };

    static std::int64_t bytesOfBuiltin(char c) {
        if (std::string_view("bcah").find(c) != std::string_view::npos) return 1;
        if (std::string_view("st").find(c) != std::string_view::npos) return 2;
        if (std::string_view("ijfw").find(c) != std::string_view::npos) return 4;
        return std::string_view("lmxyd").find(c) != std::string_view::npos ? 8 : 0;
    }

    char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    char next() {
        if (!atEnd()) return m_text[m_at++];
        m_ok = false;
        return '\0';
    }
    bool take(char wanted) {
        if (atEnd() || peek() != wanted) return false;
        ++m_at;
        return true;
    }
    std::size_t readDigits() {
        std::size_t value = 0;
        while (peek() >= '0' && peek() <= '9' && value <= kLongestName)
            value = value * 10 + static_cast<std::size_t>(next() - '0');
        return value;
    }
    void readSource() {
        take('L');
        const std::size_t length = readDigits();
        if (length == 0 || length > m_text.size() - m_at)
            m_ok = false;
        else
            m_at += length;
    }
    /// "_" is 0, "0_" is 1, and so on in base 36.
    std::size_t readSequenceNumber() {
        std::size_t value = 0;
        for (bool isFirst = true; m_ok; isFirst = false) {
            const char c = next();
            if (c == '_') return isFirst ? 0 : value + 1;
            if (value > kLongestName) m_ok = false;
            value = value * 36 + static_cast<std::size_t>(c <= '9' ? c - '0' : c - 'A' + 10);
        }
        return 0;
    }
    /// Behind the S: a thing that was named before, or a short name of the standard library.
    Type readSubstitution() {
        const char c = peek();
        if (c >= 'a' && c <= 'z') {
            next();
            return {};
        }
        const std::size_t number = readSequenceNumber();
        if (number < m_known.size()) return m_known[number];
        m_ok = false;
        return {};
    }
    Type readKnownType() {
        const Type type = readSubstitution();
        return peek() == 'I' ? readInstance() : type;
    }
    /// Template arguments behind a type's name, if there are any.
    Type readInstance() {
        if (peek() != 'I') return m_known.empty() ? Type{} : m_known.back();
        readTemplateArguments();
        return know({});
    }
    Type readQualified(char first) {
        bool isConst = first == 'K';
        while (peek() == 'r' || peek() == 'V' || peek() == 'K')
            isConst = next() == 'K' || isConst;
        Type type = readType();
        type.isConst = isConst;
        return know(type);
    }
    /// Behind a D: half, nullptr and other builtin types; packs and expressions end what can be told.
    Type readSpecial() {
        const char c = next();
        if (c == 'h') return {2, false, false, false};
        if (c != 'n' && c != 'i' && c != 's') m_ok = false;
        return {};
    }
    Type know(const Type& type) {
        m_known.push_back(type);
        return type;
    }
    Type templateArgument(std::size_t number) const {
        return number < m_arguments.size() ? m_arguments[number] : Type{};
    }
    bool readNested(bool isType) {
        const DepthGuard guard(*this);
        bool endsInArguments = false;
        while (peek() == 'r' || peek() == 'V' || peek() == 'K')
            next();
        while (m_ok && !take('E')) {
            const bool hasArguments = peek() == 'I';
            bool isKnown = hasArguments;
            if (hasArguments) {
                std::vector<Type> arguments = readTemplateArguments();
                if (!isType) m_arguments = std::move(arguments);
            } else if (take('S')) {
                isKnown = !take('t');
                if (isKnown) readSubstitution();
            } else {
                readSource();
            }
            // A function's whole name is not a thing that can be named again; its template's name is.
            if ((isType || peek() != 'E') && (!isKnown || hasArguments)) know({});
            endsInArguments = hasArguments;
        }
        return endsInArguments;
    }
    std::vector<Type> readTemplateArguments() {
        const DepthGuard guard(*this);
        std::vector<Type> arguments;
        if (!take('I')) m_ok = false;
        while (m_ok && !take('E')) {
            if (take('L')) {
                readType();
                while (m_ok && next() != 'E') {
                }
                arguments.emplace_back();
            } else {
                arguments.push_back(readType());
            }
        }
        return arguments;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_depth = 0;
    bool m_ok = true;
    std::vector<Type> m_known;      ///< what S_, S0_ and so on stand for
    std::vector<Type> m_arguments;  ///< what T_, T0_ and so on stand for
};

}  // namespace

KernelParameters::KernelParameters(std::string_view mangledName) {
    if (!mangledName.starts_with("_Z") || mangledName.size() > kLongestName) return;
    NameReader reader(mangledName.substr(2));
    if (reader.readName()) reader.readType();
    std::int64_t offset = 0;
    while (reader.ok() && !reader.atEnd()) {
        const Type type = reader.readType();
        if (!reader.ok() || type.sizeBytes == 0) return;
        offset = (offset + type.sizeBytes - 1) / type.sizeBytes * type.sizeBytes;
        if (type.isPointer && type.pointsToConst) m_constPointers.push_back(offset);
        offset += type.sizeBytes;
    }
}

bool KernelParameters::isPointerToConst(std::int64_t parameterOffset) const {
    return std::binary_search(m_constPointers.begin(), m_constPointers.end(), parameterOffset);
}

}  // namespace vramscope::model
