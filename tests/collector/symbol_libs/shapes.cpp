// SPDX-License-Identifier: Apache-2.0
#include "tests/collector/symbol_libs/shapes.h"

#include <map>

// Keeps a call from becoming a jump at the end of its function, which would leave no return address there.
#define NOT_A_TAIL_CALL asm volatile("" ::: "memory")

namespace {
__attribute__((noinline, used)) void hiddenHelper(ShapesCallback callback) {
#line 500 "/src/shapes/hidden.cpp"
    callback();
    NOT_A_TAIL_CALL;
}
}  // namespace

namespace shapes {

template <typename Key>
struct Box {
    __attribute__((noinline)) static void visit(ShapesCallback callback) {
#line 200 "/src/shapes/box.h"
        callback();
        NOT_A_TAIL_CALL;
    }
};

__attribute__((always_inline)) inline void innermost(ShapesCallback callback) {
#line 300 "/src/shapes/inner.h"
    callback();
    NOT_A_TAIL_CALL;
}

__attribute__((always_inline)) inline void middle(ShapesCallback callback) {
#line 310 "/src/shapes/middle.h"
    innermost(callback);
}

}  // namespace shapes

#line 100 "/src/shapes/plain.cpp"
void shapesPlain(ShapesCallback callback) {
    callback();
    NOT_A_TAIL_CALL;
}
#line 320 "/src/shapes/outer.cpp"
void shapesInlined(ShapesCallback callback) {
    shapes::middle(callback);
}
#line 400 "/src/shapes/template.cpp"
void shapesTemplate(ShapesCallback callback) {
    shapes::Box<std::map<int, long>>::visit(callback);
    NOT_A_TAIL_CALL;
}
#line 510 "/src/shapes/hidden.cpp"
void shapesHidden(ShapesCallback callback) {
    hiddenHelper(callback);
    NOT_A_TAIL_CALL;
}
#line 600 "/src/shapes/end.cpp"
void shapesAtEnd(ShapesCallback callback) {
    callback();
    __builtin_unreachable();
}
