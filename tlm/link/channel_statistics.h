// SPDX-License-Identifier: Apache-2.0
// What one direction of a link counts.
#pragma once

#include <string>

#include "observe/statistics.h"

namespace contraflow::link {

struct channel_statistics {
    channel_statistics(observe::statistics& home, const std::string& path, core::sim_time window)
        : packets(home, path + ".packets", "packets", "packets whose transmission has begun, each counted once"),
          payload(home, path + ".payload", "bytes", "payload of those packets"),
          wire(home, path + ".wire", "bytes",
               "what they took of the lanes: header, payload, padding; resends included"),
          busy(home, path + ".busy", "lane*ps", "lane-time in which something was sent"),
          available(home, path + ".available", "lane*ps", "lane-time of the lanes that served this direction"),
          resent(home, path + ".resent", "packets", "packets sent again because a lane failed under them"),
          credit_stall(home, path + ".credit_stall", "ps",
                       "time in which packets waited, the lanes were free, and credits lacked"),
          utilisation(
              home, path + ".utilisation", "share", "busy over available lane-time",
              [this] { return static_cast<double>(busy.value()); },
              [this] { return static_cast<double>(available.value()); }),
          latency(home, path + ".latency", "ps", "from the sender's queue to the receive buffer"),
          waiting(home, path + ".waiting", "packets", "packets in the sender's queues"),
          lanes(home, path + ".lanes", "lanes", "lanes that serve this direction"),
          wire_series(home, path + ".wire_by_window", "bytes", "what packets took of the lanes, by when they began",
                      window),
          lane_series(home, path + ".lane_time_by_window", "lane*ps",
                      "lane-time of the serving lanes; over the window's length: how many served", window) {}
    channel_statistics(const channel_statistics&) = delete;  // the ratio refers to the counters
    channel_statistics& operator=(const channel_statistics&) = delete;

    observe::counter packets, payload, wire, busy, available, resent, credit_stall;
    observe::ratio utilisation;
    observe::histogram latency;
    observe::level waiting, lanes;
    observe::series wire_series, lane_series;
};

}  // namespace contraflow::link
