// SPDX-License-Identifier: Apache-2.0
// The statistics of a link's lanes and windows, and of each direction.
#pragma once

#include <string>

#include "observe/statistics.h"

namespace contraflow::link {

struct channel_statistics {
    channel_statistics(observe::statistics& group, const std::string& path, core::sim_time window)
        : packets(group, path + ".packets", "packets", "packets whose transmission has begun, each counted once"),
          payload(group, path + ".payload", "bytes", "payload of those packets"),
          wire(group, path + ".wire", "bytes",
               "what they took of the lanes: header, payload, padding; resends included"),
          busy(group, path + ".busy", "lane*ps", "lane-time in which something was sent"),
          available(group, path + ".available", "lane*ps", "lane-time of the lanes that served this direction"),
          resent(group, path + ".resent", "packets", "packets sent again because a lane failed under them"),
          credit_stall(group, path + ".credit_stall", "ps",
                       "time in which packets waited, the lanes were free, and credits lacked"),
          utilisation(
              group, path + ".utilisation", "share", "busy over available lane-time",
              [this] { return static_cast<double>(busy.value()); },
              [this] { return static_cast<double>(available.value()); }),
          latency(group, path + ".latency", "ps", "time from the sender's queue to the receive buffer"),
          waiting(group, path + ".waiting", "packets", "packets in the sender's queues"),
          lanes(group, path + ".lanes", "lanes", "lanes that serve this direction"),
          wire_series(group, path + ".wire_by_window", "bytes", "what packets took of the lanes, by when they began",
                      window),
          lane_series(group, path + ".lane_time_by_window", "lane*ps",
                      "lane-time of the serving lanes; over the window's length: how many served", window) {}
    channel_statistics(const channel_statistics&) = delete;  // the ratio refers to the counters
    channel_statistics& operator=(const channel_statistics&) = delete;

    observe::counter packets, payload, wire, busy, available, resent, credit_stall;
    observe::ratio utilisation;
    observe::histogram latency;
    observe::gauge waiting, lanes;
    observe::series wire_series, lane_series;
};

struct link_statistics {
    link_statistics(observe::statistics& group, const std::string& path)
        : turns(group, path + ".turns", "turns", "lanes that a decision of the controller turned"),
          launches(group, path + ".launches", "launches", "kernel launches, at which the lanes return to symmetric"),
          saturated_both(group, path + ".saturated_both", "windows", "windows in which both directions were saturated"),
          saturated_one(group, path + ".saturated_one", "windows", "windows in which exactly one direction was"),
          saturated_none(group, path + ".saturated_none", "windows", "windows in which neither direction was"),
          failed_lanes(group, path + ".failed_lanes", "lanes", "lanes that failed"),
          refused(group, path + ".refused", "decisions", "decisions of the controller that broke a rule") {}

    observe::counter turns, launches, saturated_both, saturated_one, saturated_none, failed_lanes, refused;
};

}  // namespace contraflow::link
