// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::formats {

/// Offers the packed events of a capture as read-only tables of `connection`, for as long as it is open:
///
/// - launches, copies, sets, syncs: the columns of eventColumns(); conditions on enter_ns skip whole chunks.
/// - launch_arguments: argument_set_id, parameter_offset, buffer_id, offset; see LaunchArgument.
///   `argument_set_id = ?` reads the chunk of that set alone.
///
/// They are no part of the file: other programs see event_chunks and argument_chunks only. A damaged chunk
/// ends the query that meets it with an Unreadable error. They can be used in queries, not in views or
/// triggers of the file.
Status registerEventTables(Connection& connection);

}  // namespace vramscope::formats
