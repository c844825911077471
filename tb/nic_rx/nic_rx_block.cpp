// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/nic_rx_block.h"

#include "Vnic_rx_plain.h"
#include "Vnic_rx_smallest.h"
#include "Vnic_rx_usual.h"
#include "nic_rx/plain_edges.h"
#include "nic_rx/verilated_block.h"

namespace contraflow::nic_rx {

template <> class edges_of<Vnic_rx_plain> {
public:
    explicit edges_of(Vnic_rx_plain& rtl) : rtl_(rtl) {}

    void load(unsigned groups) { fire(rtl_, groups); }
    void edge(unsigned groups) { fire_active(rtl_, groups); }
    unsigned calm(unsigned cycles, const std::uint8_t* word, std::uint8_t*& bytes) {
        return run_calm(rtl_, cycles, word, bytes);
    }

private:
    Vnic_rx_plain& rtl_;
};

std::unique_ptr<nic_rx_block> make_nic_rx_block(build b) {
    switch (b) {
    case build::usual: return std::make_unique<verilated_block<Vnic_rx_usual>>();
    case build::plain: return std::make_unique<verilated_block<Vnic_rx_plain>>();
    case build::smallest: break;
    }
    return std::make_unique<verilated_block<Vnic_rx_smallest>>();
}

std::unique_ptr<nic_rx_block> make_nic_rx_block(build b, wave::wave_file& file, const std::string& name) {
    if (b == build::smallest) return std::make_unique<verilated_block<Vnic_rx_smallest>>(file, name);
    return std::make_unique<verilated_block<Vnic_rx_usual>>(file, name);
}

}  // namespace contraflow::nic_rx
