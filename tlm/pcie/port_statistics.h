// SPDX-License-Identifier: Apache-2.0
// What one port counts, sent and received.
#pragma once

#include <string>

#include "observe/counter.h"
#include "observe/level.h"
#include "observe/ratio.h"
#include "observe/registry.h"

namespace contraflow::pcie {

struct port_statistics {
    port_statistics(observe::statistics& home, const std::string& path)
        : tlps(home, path + ".tlps", "TLPs", "TLPs sent, replays not counted"),
          payload_bytes(home, path + ".payload", "bytes", "payload sent, replays not counted"),
          tlp_wire_bytes(home, path + ".tlp_wire", "bytes",
                         "wire taken by TLPs with header, framing and LCRC, replays included"),
          dllps(home, path + ".dllps", "DLLPs", "acknowledgements and flow-control updates sent"),
          dllp_wire_bytes(home, path + ".dllp_wire", "bytes", "wire taken by DLLPs"),
          replayed_tlps(home, path + ".replayed_tlps", "TLPs", "TLPs sent again"),
          replayed_wire_bytes(home, path + ".replayed_wire", "bytes", "wire taken by TLPs sent again"),
          replay_timeouts(home, path + ".replay_timeouts", "events", "replays started because no acknowledgement came"),
          naks(home, path + ".naks", "DLLPs", "negative acknowledgements received"),
          accepted_tlps(home, path + ".accepted_tlps", "TLPs", "TLPs received intact and in order"),
          corrupted_tlps(home, path + ".corrupted_tlps", "TLPs", "TLPs received with a wrong LCRC"),
          discarded_tlps(home, path + ".discarded_tlps", "TLPs", "TLPs received after a corrupted one, or twice"),
          corrupted_dllps(home, path + ".corrupted_dllps", "DLLPs", "DLLPs sent that arrived with a wrong CRC"),
          credit_stall(home, path + ".credit_stall", "ports",
                       "1 while a TLP is ready, the wire free, and credits lack: the mean is the share of time"),
          replay_stall(home, path + ".replay_stall", "ports",
                       "1 while a TLP is ready, the wire free, and the replay buffer full: the mean is the share of "
                       "time"),
          efficiency(
              home, path + ".efficiency", "share", "payload over the wire bytes of TLPs and DLLPs",
              [this] { return static_cast<double>(payload_bytes.value()); },
              [this] { return static_cast<double>(tlp_wire_bytes.value() + dllp_wire_bytes.value()); }),
          buffered(home, path + ".buffered", "TLPs",
                   "TLPs in this port's receive buffers, the one on the wire included") {}
    port_statistics(const port_statistics&) = delete;  // the ratio refers to the counters
    port_statistics& operator=(const port_statistics&) = delete;

    observe::counter tlps, payload_bytes, tlp_wire_bytes, dllps, dllp_wire_bytes, replayed_tlps, replayed_wire_bytes,
        replay_timeouts, naks, accepted_tlps, corrupted_tlps, discarded_tlps, corrupted_dllps;
    observe::level credit_stall, replay_stall;
    observe::ratio efficiency;
    observe::level buffered;
};

}  // namespace contraflow::pcie
