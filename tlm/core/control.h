// SPDX-License-Identifier: Apache-2.0
// What can be asked of a component that has state, at any moment of a run.
#pragma once

namespace contraflow::core {

enum class control_verb {
    pause,       // begin nothing new; what is under way goes on
    drain,       // finish what has begun, take up nothing else
    enable,      // go on after pause or drain
    reset,       // back to the state at the start; what was under way is dropped, and leaks nothing
    invalidate,  // drop copies
    flush,       // write back what is newer than its home
};

class controllable_if {
public:
    virtual ~controllable_if() = default;
    // False: the component has nothing that the verb could act on. It is refused then, not ignored.
    virtual bool control(control_verb verb) = 0;
};

}  // namespace contraflow::core
