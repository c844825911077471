// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <sstream>

#include <gtest/gtest.h>

#include "config/config.h"
#include "gpu/kernel/ideal_machine.h"

namespace contraflow::workloads_test {
namespace {

using namespace workloads;

// Remembers all allocations.
class recorder final : public gpu::device_memory {
public:
    struct piece {
        std::uint64_t address;
        std::size_t bytes;
    };
    explicit recorder(gpu::device_memory& inner) : inner_(inner) {}

    std::uint64_t reserve(std::size_t bytes) override {
        pieces.push_back({inner_.reserve(bytes), bytes});
        return pieces.back().address;
    }
    void write_bytes(std::uint64_t address, std::span<const std::byte> from) override {
        inner_.write_bytes(address, from);
    }
    void read_bytes(std::uint64_t address, std::span<std::byte> to) const override { inner_.read_bytes(address, to); }

    std::vector<piece> pieces;

private:
    gpu::device_memory& inner_;
};

void falsify(workload_if& w, recorder& memory, recorder::piece p) {
    constexpr std::size_t word = 4;
    for (const std::size_t at : {std::size_t{0}, p.bytes / 2 / word * word, p.bytes - word}) {
        // The high half of an eight-byte element, so that a real number changes by more than a rounding.
        const std::size_t here = p.bytes % 8 == 0 ? at | word : at;
        std::vector<std::byte> right(word), wrong;
        memory.read_bytes(p.address + here, right);
        wrong = right;
        for (auto& b : wrong) b ^= std::byte{0x41};
        memory.write_bytes(p.address + here, wrong);
        EXPECT_NE(w.verify(memory), "") << "a wrong word at byte " << here << " of " << p.bytes << " is not seen";
        memory.write_bytes(p.address + here, right);
    }
    EXPECT_EQ(w.verify(memory), "");
}

}  // namespace

selection selected(const std::string& yaml) {
    config::diagnostics diag;
    auto loaded = config::load<selection>(config::source{"test.yaml", yaml}, {}, diag);
    std::ostringstream out;
    diag.print(out);
    EXPECT_EQ(out.str(), "");
    return loaded.value;
}

void check(const std::string& yaml, const std::vector<std::size_t>& results) {
    const auto chosen = selected(yaml);
    ASSERT_FALSE(chosen.name().empty());
    using spec = gpu::ideal_machine::spec;
    for (const spec& s : {spec{}, spec{8, 64, true}, spec{3, 1, false}, spec{64, 5, true}, spec{8, 64, false, 64},
                          spec{3, 1, true, 64}}) {
        SCOPED_TRACE(testing::Message() << s.resident_ctas << " CTAs, turns of " << s.turn << ", "
                                        << (s.backwards ? "backwards" : "forwards") << ", wavefronts of "
                                        << s.wave_width);
        gpu::ideal_machine machine(s);
        recorder memory(machine.memory());
        const auto w = chosen.create();
        w->prepare(memory);
        EXPECT_NE(w->verify(memory), "") << "right before it has run";
        machine.run(w->run(machine));
        EXPECT_EQ(w->verify(memory), "");
        for (const auto r : results) {
            ASSERT_LT(r, memory.pieces.size());
            falsify(*w, memory, memory.pieces[r]);
        }
    }
}

}  // namespace contraflow::workloads_test
