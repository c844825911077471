// SPDX-License-Identifier: Apache-2.0
// A core with a few registers on its bus, which record every access and its time.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tlm_utils/simple_target_socket.h>

#include "core/simulation.h"
#include "encode.h"
#include "iss/rv32_core.h"

namespace iss_test {

namespace core = contraflow::core;
namespace iss = contraflow::iss;
namespace observe = contraflow::observe;

constexpr std::uint64_t cycle_ps = 5000;  // of 200 MHz
constexpr word data_base = 0x0010'0000;
constexpr word bus_base = 0x4000'0000;

struct bus_event {
    bool write;
    word address;
    word value;
    std::uint64_t ps;
    friend bool operator==(const bus_event&, const bus_event&) = default;
};
inline void PrintTo(const bus_event& a, std::ostream* out) {
    *out << (a.write ? "store " : "load ") << std::hex << a.address << " = " << a.value << std::dec << " at " << a.ps;
}

// 4 KiB of registers. From `slow` on an access takes time; from `never_answers` on it never ends. A store to `raise`
// raises the external interrupt that number of cycles later, a store to `lower` takes it back at once.
class registers : public sc_core::sc_module {
public:
    static constexpr word size = 0x1000, slow = 0x800, never_answers = 0xc00, raise = 0x100, lower = 0x104;

    registers(const sc_core::sc_module_name& name, core::scheduler& events) : sc_module(name), events_(events) {
        socket.register_b_transport(this, &registers::transport);
        socket.register_transport_dbg(this, &registers::debug);
    }
    tlm_utils::simple_target_socket<registers> socket{"socket"};
    std::vector<bus_event> accesses;
    std::map<word, word> values;
    sc_core::sc_time latency = sc_core::sc_time::from_value(0);
    iss::rv32_core* core = nullptr;

private:
    void transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        const auto offset = static_cast<word>(p.get_address()) - bus_base;
        if (offset >= size) {
            p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        word value = values[offset];
        if (p.is_write()) {
            value = 0;
            std::memcpy(&value, p.get_data_ptr(), p.get_data_length());
            values[offset] = value;
        } else {
            std::memcpy(p.get_data_ptr(), &value, p.get_data_length());
        }
        accesses.push_back({p.is_write(), bus_base + offset, value, events_.now().ps});
        if (p.is_write() && offset == raise)
            events_.after<&registers::raise_now>(core::sim_time{value * cycle_ps}, this);
        if (p.is_write() && offset == lower) core->set_interrupt(iss::interrupt_line::external, false);
        delay += latency;
        if (offset >= never_answers)
            for (;;) sc_core::wait(never_);
        if (offset >= slow) sc_core::wait(sc_core::sc_time::from_value(20 * cycle_ps));
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    unsigned debug(tlm::tlm_generic_payload& p) {
        const auto offset = static_cast<word>(p.get_address()) - bus_base;
        if (offset >= size || p.get_data_length() != 4) return 0;
        if (p.is_write())
            std::memcpy(&values[offset], p.get_data_ptr(), 4);
        else
            std::memcpy(p.get_data_ptr(), &values[offset], 4);
        return 4;
    }
    void raise_now() { core->set_interrupt(iss::interrupt_line::external, true); }

    core::scheduler& events_;
    sc_core::sc_event never_;
};

struct machine {
    explicit machine(const iss::rv32_spec& spec = {}) : core("core", spec, simulation.events(), statistics) {
        core.bus.bind(device.socket);
        device.core = &core;
    }
    void program(std::initializer_list<word> code, word at = 0) { program(std::vector<word>(code), at); }
    void program(const std::vector<word>& code, word at = 0) {
        std::memcpy(core.memory(at, static_cast<word>(code.size() * 4)).data(), code.data(), code.size() * 4);
    }
    void run_cycles(std::uint64_t n) { simulation.run_to({n * cycle_ps}); }
    word data(word offset) {
        word value = 0;
        std::memcpy(&value, core.memory(data_base + offset, 4).data(), 4);
        return value;
    }
    // The interrupt line is set by a callback at that time.
    void interrupt_at(std::uint64_t ps, bool level = true) {
        simulation.events().at(
            core::sim_time{ps},
            [](void* c, std::uint64_t l) {
                static_cast<iss::rv32_core*>(c)->set_interrupt(iss::interrupt_line::external, l != 0);
            },
            &core, level);
    }
    double stat(const std::string& path) const {
        for (const auto& row : statistics.rows(simulation_now())) {
            if (row.path == path) return row.value;
        }
        return -1;
    }
    contraflow::core::sim_time simulation_now() const {
        return contraflow::core::sim_time{sc_core::sc_time_stamp().value()};
    }

    contraflow::core::simulation simulation;
    observe::statistics statistics;
    registers device{"registers", simulation.events()};
    iss::rv32_core core;
};

}  // namespace iss_test
