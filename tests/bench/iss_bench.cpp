// SPDX-License-Identifier: Apache-2.0
// Instructions per second of a busy core, compared with the same program on the bare emulator.
#include <cstring>

#include <benchmark/benchmark.h>
#include <tlm_utils/simple_target_socket.h>
#include <unicorn/unicorn.h>

#include "core/simulation.h"
#include "iss/rv32_core.h"

using namespace contraflow;

namespace {

constexpr std::uint32_t rounds = 2000;

class sink : public sc_core::sc_module {
public:
    explicit sink(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_b_transport(this, &sink::transport);
    }
    tlm_utils::simple_target_socket<sink> socket{"socket"};
    bool stored = false;

private:
    void transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
        stored = true;
        p.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

void longer(std::span<std::uint8_t> variable) { std::memcpy(variable.data(), &rounds, sizeof rounds); }

void core_busy(benchmark::State& state) {
    const auto program = iss::elf_file::read(CF_BUSY_FIRMWARE);
    std::uint64_t instructions = 0;
    for (auto _ : state) {
        core::simulation simulation;
        observe::statistics statistics;
        sink end("sink");
        iss::rv32_core core("core", {}, simulation.events(), statistics);
        core.bus.bind(end.socket);
        core.load(program);
        longer(core.memory(program.address_of("rounds"), 4));
        simulation.run();
        if (!end.stored) state.SkipWithError("the program has not ended");
        instructions += core.instructions();
    }
    state.counters["instructions/s"] =
        benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

void bare_emulator(benchmark::State& state) {
    const auto program = iss::elf_file::read(CF_BUSY_FIRMWARE);
    for (auto _ : state) {
        uc_engine* emulator = nullptr;
        uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &emulator);
        uc_mem_map(emulator, 0, 64 << 10, UC_PROT_ALL);
        uc_mem_map(emulator, 0x100000, 64 << 10, UC_PROT_ALL);
        uc_mmio_map(
            emulator, 0x40000000, 4096, [](uc_engine*, std::uint64_t, unsigned, void*) -> std::uint64_t { return 0; },
            nullptr, [](uc_engine* e, std::uint64_t, unsigned, std::uint64_t, void*) { uc_emu_stop(e); }, nullptr);
        for (const auto& s : program.segments()) uc_mem_write(emulator, s.address, s.bytes.data(), s.bytes.size());
        uc_mem_write(emulator, program.address_of("rounds"), &rounds, sizeof rounds);
        uc_emu_start(emulator, program.entry(), ~std::uint64_t{0}, 0, 0);
        uc_close(emulator);
    }
}

BENCHMARK(core_busy)->Unit(benchmark::kMillisecond);
BENCHMARK(bare_emulator)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
