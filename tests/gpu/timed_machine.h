// SPDX-License-Identifier: Apache-2.0
// Compute units of a few sockets on a plain memory, with the other parts that kernels need.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "core/simulation.h"
#include "gpu/dispatch/host_program.h"
#include "gpu/system/paged_memory.h"
#include "memory/transaction/protocol_checker.h"
#include "plain_memory.h"

namespace contraflow::gpu::testing {

struct machine_spec {
    unsigned sockets = 2;
    unsigned units = 2;
    compute_unit_spec unit{};
    shader_array_spec array{};  // without caches: its ports lead to the memory
    cta_dispatcher::spec dispatcher{};
    plain_memory::spec memory{};
    memory::page_table::spec pages{};
    std::function<memory::translation_server&(core::scheduler&)> translation{};  // below the units' TLBs; empty: none
};

class timed_machine : private physical_memory_if {
public:
    static constexpr core::bytes socket_memory{64u << 20};
    static constexpr core::bytes code_region{64u << 10};

    explicit timed_machine(const machine_spec& s = {})
        : map(s.sockets, socket_memory, 0, s.array.present() ? code_region : core::bytes{}),
          pages(statistics, "pages", s.pages, map),
          profile(statistics, "requests"),
          dispatcher(sim.events(), statistics, "dispatcher", s.dispatcher, s.unit.cycle, s.sockets),
          memory(pages, *this),
          host(dispatcher, memory) {
        plain_memory::spec m = s.memory;
        m.ports = s.sockets * s.units;
        const unsigned arrays_of_socket = s.array.present() ? (s.units + s.array.units - 1) / s.array.units : 0;
        m.ports += 2 * s.sockets * arrays_of_socket;
        target = std::make_unique<plain_memory>("memory", shared, m,
                                                core::bytes{map.base(s.sockets - 1) + socket_memory.count});
        for (unsigned i = 0; i < s.sockets * s.units; ++i) {
            compute_unit_spec u = s.unit;
            u.socket = i / s.units;
            u.number = i % s.units;
            if (s.translation) u.translation = &s.translation(sim.events());
            units.push_back(std::make_unique<compute_unit>(fmt::format("gpu{}_cu{}", u.socket, u.number).c_str(),
                                                           shared, u, machine, dispatcher));
            checkers.push_back(std::make_unique<memory::protocol_checker>(fmt::format("check{}", i).c_str()));
            units.back()->l1().bind(checkers.back()->in);
            checkers.back()->out.bind(target->port(i));
            dispatcher.add_unit(u.socket, *units.back());
        }
        shader_array_spec a = s.array;
        a.instructions.line = a.scalars.line = s.unit.line;
        a.region = code_region;
        unsigned port = s.sockets * s.units;
        for (unsigned k = 0; k < s.sockets && a.present(); ++k) {
            codes.push_back(std::make_unique<code_memory>(a, map.base(k) + map.memory_for_pages().count));
            std::vector<std::uint8_t> code(code_region.count);
            code_memory::fill(codes[k]->begin(), code);
            target->bytes.write(codes[k]->begin(), code.data(), code.size());
            for (unsigned first = 0; first < s.units; first += a.units) {
                arrays.push_back(std::make_unique<shader_array>(fmt::format("gpu{}_sa{}", k, first).c_str(), shared, a,
                                                                k, first, *codes[k], profile));
                arrays.back()->instructions.bind(target->port(port++));
                arrays.back()->scalars.bind(target->port(port++));
                for (unsigned u = first; u < std::min(s.units, first + a.units); ++u)
                    units[k * s.units + u]->join(*arrays.back());
            }
        }
    }

    // Runs it to its end and returns the time; throws its exception.
    core::sim_time run(host_task program) {
        const core::sim_time begun = sim.events().now();
        host.start(std::move(program));
        if (!host.finished()) sim.run();
        if (!host.finished()) throw std::logic_error("the host program did not end");
        host.rethrow();
        return sim.events().now() - begun;
    }
    core::sim_time run(dim3 grid, dim3 block, const kernel_launch::entry& body, core::bytes scratchpad = {}) {
        auto program = [&](gpu_system_if& gpu) -> host_task {
            co_await gpu.launch({"kernel", grid, block, body, scratchpad});
        };
        return run(program(host));
    }
    // The checks at the end of any run.
    bool conserved() const {
        observe::conservation checks;
        dispatcher.check(checks);
        for (const auto& u : units) u->check(checks);
        for (const auto& a : arrays) a->check(checks);
        for (const auto& c : checkers)
            checks.check("rules of the base protocol", "violations", c->violations().size() + c->under_way(), 0);
        for (const auto& u : units)
            if (!u->idle()) return false;
        return checks.held() && payloads.in_flight() == 0;
    }

    core::simulation sim;
    observe::statistics statistics;
    memory::payload_pool payloads;
    memory::resources shared{sim.events(), statistics, payloads};
    memory::address_map map;
    memory::page_table pages;
    request_profile profile;
    machine_memory machine{pages, map, profile};
    cta_dispatcher dispatcher;
    std::unique_ptr<plain_memory> target;
    std::vector<std::unique_ptr<code_memory>> codes;  // by socket
    std::vector<std::unique_ptr<shader_array>> arrays;
    std::vector<std::unique_ptr<compute_unit>> units;
    std::vector<std::unique_ptr<memory::protocol_checker>> checkers;
    paged_memory memory;
    host_program host;

private:
    void debug_write(std::uint64_t physical, std::span<const std::byte> from) override {
        target->bytes.write(physical, reinterpret_cast<const std::uint8_t*>(from.data()), from.size());
    }
    void debug_read(std::uint64_t physical, std::span<std::byte> to) const override {
        target->bytes.read(physical, reinterpret_cast<std::uint8_t*>(to.data()), to.size());
    }
};

}  // namespace contraflow::gpu::testing
