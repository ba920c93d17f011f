// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/model/capture.h"
#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::model {

/// The steps of loadCapture: each fills the tables it is named after.
Status loadMachine(formats::Connection& connection, Capture& capture);
Status loadStacks(formats::Connection& connection, Capture& capture);
Status loadBuffers(formats::Connection& connection, Capture& capture);
/// Pools, handles, reservations, objects and samples: all of memory but the buffers.
Status loadMemory(formats::Connection& connection, Capture& capture);
Status loadHealth(formats::Connection& connection, Capture& capture);
/// After loadBuffers().
Status loadGuardHits(formats::Connection& connection, Capture& capture);
/// After loadBuffers(). What else may have written is found by loadOrdering().
Status loadDigestChanges(formats::Connection& connection, Capture& capture);
Status loadActivity(formats::Connection& connection, Capture& capture);
/// After loadActivity().
Status loadGraphs(formats::Connection& connection, Capture& capture);
Status loadSharing(formats::Connection& connection, Capture& capture);
Status loadOwnership(formats::Connection& connection, Capture& capture);
/// After the others: what more than one task used.
Status loadSharedAccesses(formats::Connection& connection, Capture& capture);
Status loadUnwrittenReads(formats::Connection& connection, Capture& capture);
/// After loadBuffers().
Status loadOverruns(formats::Connection& connection, Capture& capture);
/// After loadActivity() and loadMemory().
Status loadCodeArrival(formats::Connection& connection, Capture& capture);
/// After all others.
Status loadOrdering(formats::Connection& connection, Capture& capture);
/// Conflicts that rested on a pointer in a launch's arguments rest on what the kernel was seen to touch,
/// where the exact engine saw it. After loadOrdering.
Status sharpenOrdering(formats::Connection& connection, Capture& capture);

}  // namespace vramscope::model
