// SPDX-License-Identifier: Apache-2.0
// A call when something is done: a function, its object and a number of the caller's choice. A default one does
// nothing.
//
//   copy(page, callback::to<&driver::copied>(*this, number));
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/event_queue.h"

namespace contraflow::core {

struct callback {
    event_queue::action what = nullptr;
    void* object = nullptr;
    std::uint64_t argument = 0;

    // Calls a member function, with the number if it takes one. The object must outlive the callback; callbacks that a
    // reset cancels come from cancellable_calls::make.
    template <auto Member, class Owner> static callback to(Owner& object, std::uint64_t argument = 0) {
        return {[](void* o, std::uint64_t number) { call<Member>(*static_cast<Owner*>(o), number); }, &object,
                argument};
    }
    template <auto Member, class Owner, class Number> static void call(Owner& object, Number number) {
        if constexpr (std::is_invocable_v<decltype(Member), Owner&>)
            (object.*Member)();
        else
            (object.*Member)(number);
    }
    void operator()() const {
        if (what != nullptr) what(object, argument);
    }
};

}  // namespace contraflow::core
