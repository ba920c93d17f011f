// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vramscope::gui {

/// Makes the C library give large blocks back to the system when they are freed. By default it learns from
/// the first of them to keep the next, up to tens of megabytes for each thread that ever had one. Called
/// once, before the first thread is made.
void returnFreedMemory();

}  // namespace vramscope::gui
