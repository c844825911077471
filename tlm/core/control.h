// SPDX-License-Identifier: Apache-2.0
// The control verbs for a component with state, at any moment of a run.
#pragma once

namespace contraflow::core {

enum class control_verb {
    pause,       // begin nothing new; work in progress continues
    drain,       // finish what has begun, accept nothing new
    enable,      // continue after pause or drain
    reset,       // back to the initial state; work in progress is dropped without leaks
    invalidate,  // drop copies
    flush,       // write dirty data back to its home
};

class controllable_if {
public:
    virtual ~controllable_if() = default;
    // Returns false if the verb does not apply to the component: it is then refused, not ignored.
    virtual bool control(control_verb verb) = 0;
};

}  // namespace contraflow::core
