// SPDX-License-Identifier: Apache-2.0
#pragma once

// The library whose addresses the symbol tests look up. Each function calls back once; the callback's return
// address is the address that the test is about. Lines and files are fixed with #line, so that they can be
// asked for exactly.
extern "C" {
using ShapesCallback = void (*)();
void shapesPlain(ShapesCallback callback);
void shapesInlined(ShapesCallback callback);
void shapesTemplate(ShapesCallback callback);
void shapesHidden(ShapesCallback callback);
/// Ends with the call: the callback must not return but throw.
void shapesAtEnd(ShapesCallback callback);
}
