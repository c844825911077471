// SPDX-License-Identifier: Apache-2.0
// The counters of one port, for sent and received packets.
#pragma once

#include <string>

#include "observe/counter.h"
#include "observe/gauge.h"
#include "observe/ratio.h"
#include "observe/registry.h"

namespace contraflow::pcie {

struct port_statistics {
    port_statistics(observe::statistics& group, const std::string& path)
        : tlps(group, path + ".tlps", "TLPs", "TLPs sent, replays not counted"),
          payload_bytes(group, path + ".payload", "bytes", "payload sent, replays not counted"),
          tlp_wire_bytes(group, path + ".tlp_wire", "bytes",
                         "wire taken by TLPs with header, framing and LCRC, replays included"),
          dllps(group, path + ".dllps", "DLLPs", "acknowledgements and flow-control updates sent"),
          dllp_wire_bytes(group, path + ".dllp_wire", "bytes", "wire taken by DLLPs"),
          replayed_tlps(group, path + ".replayed_tlps", "TLPs", "TLPs sent again"),
          replayed_wire_bytes(group, path + ".replayed_wire", "bytes", "wire taken by TLPs sent again"),
          replay_timeouts(group, path + ".replay_timeouts", "events",
                          "replays started because no acknowledgement came"),
          naks(group, path + ".naks", "DLLPs", "negative acknowledgements received"),
          accepted_tlps(group, path + ".accepted_tlps", "TLPs", "TLPs received intact and in order"),
          corrupted_tlps(group, path + ".corrupted_tlps", "TLPs", "TLPs received with a wrong LCRC"),
          discarded_tlps(group, path + ".discarded_tlps", "TLPs", "TLPs received after a corrupted one, or twice"),
          corrupted_dllps(group, path + ".corrupted_dllps", "DLLPs", "DLLPs sent that arrived with a wrong CRC"),
          credit_stall(group, path + ".credit_stall", "ports",
                       "1 while a TLP is ready, the wire free, and credits lack: the mean is the share of time"),
          replay_stall(group, path + ".replay_stall", "ports",
                       "1 while a TLP is ready, the wire free, and the replay buffer full: the mean is the share of "
                       "time"),
          efficiency(
              group, path + ".efficiency", "share", "payload over the wire bytes of TLPs and DLLPs",
              [this] { return static_cast<double>(payload_bytes.value()); },
              [this] { return static_cast<double>(tlp_wire_bytes.value() + dllp_wire_bytes.value()); }),
          buffered(group, path + ".buffered", "TLPs",
                   "TLPs in this port's receive buffers, the one on the wire included") {}
    port_statistics(const port_statistics&) = delete;  // the ratio refers to the counters
    port_statistics& operator=(const port_statistics&) = delete;

    observe::counter tlps, payload_bytes, tlp_wire_bytes, dllps, dllp_wire_bytes, replayed_tlps, replayed_wire_bytes,
        replay_timeouts, naks, accepted_tlps, corrupted_tlps, discarded_tlps, corrupted_dllps;
    observe::gauge credit_stall, replay_stall;
    observe::ratio efficiency;
    observe::gauge buffered;
};

}  // namespace contraflow::pcie
