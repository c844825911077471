// SPDX-License-Identifier: Apache-2.0
#include "memory/crossbar/crossbar_spec.h"

namespace contraflow::memory {

void crossbar_spec::describe(config::fields<crossbar_spec>& f) {
    const core::cycles longest{100'000};
    f("latency", &crossbar_spec::latency)
        .in(core::cycles{1}, longest)
        .text("latency of a request, without the time of its flits");
    f("response_latency", &crossbar_spec::response_latency)
        .in(core::cycles{1}, longest)
        .text("latency of a response, without the time of its flits");
    f("flit", &crossbar_spec::flit)
        .in(core::bytes{1}, core::bytes{1024})
        .text("bytes of a port per cycle, in each direction");
    f("header", &crossbar_spec::header)
        .in(core::bytes{0}, core::bytes{1024})
        .text("what a request or a response carries beside data");
    f("queue", &crossbar_spec::queue)
        .in(1, 4096)
        .unit("requests")
        .text("requests that wait for an output, in addition to those in flight");
    f("response_queue", &crossbar_spec::response_queue)
        .in(1, 4096)
        .unit("responses")
        .text("responses that wait for an input, in addition to those in flight");
}

}  // namespace contraflow::memory
