// SPDX-License-Identifier: Apache-2.0
// A compute unit's own part of address translation: its L1 TLB, and a question for each of its requests that misses. A
// hit costs the host a look-up and no callback: its latency is part of every instruction's path to memory.
#pragma once

#include <string>
#include <vector>

#include "gpu/compute_unit/compute_unit_spec.h"
#include "memory/vm/tlb.h"

namespace contraflow::gpu {

class address_translator {
public:
    address_translator(const memory::resources& shared, const compute_unit_spec& s,
                       memory::translation_client_if& client)
        : tlb_("l1_tlb", shared, with_cycle(s), *s.translation),
          name_(std::string(tlb_.get_parent_object()->name()) + ".translator"),
          misses_(shared.events, client, tlb_.get_parent_object()->name(), tlb_.unit_side()),
          outstanding_(s.outstanding) {}

    const char* name() const { return name_.c_str(); }  // for the path of a request
    core::sim_time latency() const { return tlb_.hit_latency(); }
    const memory::page_translation* find(std::uint32_t process, std::uint64_t address, bool write) {
        return tlb_.find(process, address, write);
    }
    // Asks for the request with that number after find() found nothing. False: held back until accepted().
    bool ask(std::uint32_t number, bool write, memory::memory_extension& request) {
        memory::translation_request& q = question(number);
        q.address = request.virtual_address;
        q.process = request.process;
        q.write = write;
        q.origin = request.origin;
        q.times = &request.times;
        return misses_.send(q);
    }
    void report_waits(std::vector<core::wait_edge>& edges) const {
        tlb_.report_waits(edges);
        misses_.report_waits(edges);
    }
    void reset() {
        misses_.reset();
        tlb_.control(core::control_verb::reset);
    }
    memory::tlb& tlb() { return tlb_; }
    const memory::tlb& tlb() const { return tlb_; }

private:
    static memory::tlb_spec with_cycle(const compute_unit_spec& s) {
        memory::tlb_spec t = s.l1_tlb;
        t.cycle = s.cycle;
        t.level = memory::stage::l1_tlb;
        return t;
    }

    memory::translation_request& question(std::uint32_t number) {
        if (questions_.empty()) {
            questions_.resize(outstanding_);
            for (std::uint32_t i = 0; i < outstanding_; ++i) questions_[i].tag = i;
        }
        return questions_[number];
    }

    memory::tlb tlb_;
    const std::string name_;
    memory::translation_client misses_;
    const unsigned outstanding_;
    std::vector<memory::translation_request> questions_;  // by number of the request; none before the first miss
};

}  // namespace contraflow::gpu
