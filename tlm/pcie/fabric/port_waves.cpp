// SPDX-License-Identifier: Apache-2.0
#include "pcie/fabric/port_waves.h"

#include "pcie/link/port.h"

namespace contraflow::pcie {
namespace {

struct signal_form {
    const char* name;
    unsigned bits;
};
// Receive queues and the replay buffer of the sending port, and the credits it has for posted writes.
constexpr std::array<signal_form, 6> signal_forms{{{"posted_queue", 24},
                                                   {"non_posted_queue", 24},
                                                   {"completion_queue", 24},
                                                   {"posted_header_credits", 24},
                                                   {"posted_data_credits", 32},
                                                   {"unacknowledged", 24}}};

}  // namespace

port_waves::port_waves(const topology& tree, const std::string& path, observe::wave_sink_if& waves,
                       const observe::time_window& window)
    : waves_(waves),
      window_(window),
      signals_(2 * tree.size()) {
    for (node_id id = 1; id < tree.size(); ++id)
        for (const bool up : {true, false}) {
            const port_id p{id, up};
            for (std::size_t i = 0; i < signal_forms.size(); ++i)
                signals_[p.index()][i] =
                    waves_.add(path + tree.port_name(p) + "." + signal_forms[i].name, signal_forms[i].bits);
        }
}

void port_waves::changed(unsigned id, const port& p, core::sim_time now) {
    if (!window_.holds(now)) return;
    const auto& s = signals_[id];
    const auto posted = p.credits().available(credit_class::posted);
    waves_.set(s[0], now, p.queued(credit_class::posted));
    waves_.set(s[1], now, p.queued(credit_class::non_posted));
    waves_.set(s[2], now, p.queued(credit_class::completion));
    waves_.set(s[3], now, posted.headers);
    waves_.set(s[4], now, posted.data);
    waves_.set(s[5], now, p.unacknowledged());
}

}  // namespace contraflow::pcie
