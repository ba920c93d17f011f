// SPDX-License-Identifier: Apache-2.0
// NVTX in domains of the job's own, and its registered strings. Destroying a domain is not taken over: a name
// costs little, and its handle may still be in use elsewhere.

#include "collector/inject/nvtx_functions.h"
#include "collector/inject/nvtx_ranges.h"

namespace vramscope::collector::nvtx {

namespace {

void domainMark(const void* domain, const EventAttributes* event) {
    mark(domainOf(domain), event);
}

RangeId domainStart(const void* domain, const EventAttributes* event) {
    return start(domainOf(domain), event);
}

void domainEnd(const void* /*domain*/, RangeId id) {
    end(id);
}

int domainPush(const void* domain, const EventAttributes* event) {
    return push(domainOf(domain), event);
}

int domainPop(const void* domain) {
    return pop(domainOf(domain));
}

template <typename Text>
const void* registerString(const void* /*domain*/, const Text* text) {
    return internString(Message(text).text());
}

template <typename Text>
const void* createDomain(const Text* name) {
    return internDomain(Message(name).text());
}

}  // namespace

void takeOverCore2(FunctionTable table, unsigned count) {
    takeOver(table, count, Core2::DomainMarkEx, domainMark);
    takeOver(table, count, Core2::DomainRangeStartEx, domainStart);
    takeOver(table, count, Core2::DomainRangeEnd, domainEnd);
    takeOver(table, count, Core2::DomainRangePushEx, domainPush);
    takeOver(table, count, Core2::DomainRangePop, domainPop);
    takeOver(table, count, Core2::DomainRegisterStringA, registerString<char>);
    takeOver(table, count, Core2::DomainRegisterStringW, registerString<wchar_t>);
    takeOver(table, count, Core2::DomainCreateA, createDomain<char>);
    takeOver(table, count, Core2::DomainCreateW, createDomain<wchar_t>);
}

}  // namespace vramscope::collector::nvtx
