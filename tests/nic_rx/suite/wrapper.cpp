// SPDX-License-Identifier: Apache-2.0
// The Verilated receive datapath of one parameter set, compiled once for each build of it.
#include "lib/build_context.h"
#include "lib/suite_if.h"
#include "nic_rx/nic_rx_block.h"
#include "nic_rx/suite/build.h"
#include "nic_rx/verilated_block.h"

namespace contraflow::nic_rx {
namespace {

// The one block of the program: its coverage is that of all tests. A test begins with its reset.
class block_of_build final : public verilated_block<CF_MODEL, lib::build_context> {
public:
    using build_context::clear_coverage;
    using build_context::write_coverage;
    void choose(std::uint32_t variant) {
        if (context()->time() == 0) context()->assertOn(false);
        build_context::begin(rtl_, variant);
    }
    void edge() override {
        before_half_cycle();
        verilated_block::edge();
    }
    void clock(const inputs& in, const inputs& expected) override {
        before_half_cycle();
        verilated_block::clock(in, expected);
    }
};

block_of_build& the_block() {
    static block_of_build block;
    return block;
}

class lent_block final : public nic_rx_block {
public:
    void drive(const inputs& in) override {
        the_block().drive(in);
        out_ = the_block().out();
    }
    void edge() override { the_block().edge(); }
    void clock(const inputs& in, const inputs& expected) override {
        the_block().clock(in, expected);
        out_ = the_block().out();
    }
    unsigned stream(unsigned cycles, inputs& in, std::span<const std::uint8_t> words,
                    std::vector<std::uint8_t>& bytes) override {
        const unsigned edges = the_block().stream(cycles, in, words, bytes);
        out_ = the_block().out();
        return edges;
    }
    void flip(const stored_bit& at) override { the_block().flip(at); }
};

}  // namespace

// The bench names builds that CMake makes; here there is the one.
std::unique_ptr<nic_rx_block> make_nic_rx_block(build) { return std::make_unique<lent_block>(); }

}  // namespace contraflow::nic_rx

namespace contraflow::testing {

const parameters& built() {
    static constexpr parameters values{CF_BUFFER_WORDS, CF_PACKETS,  CF_PACKETS_IN_FLIGHT, CF_BUFFERS,
                                       CF_SEARCH_RATE,  CF_HOST_TLB, CF_GPU_TLB,           CF_WRITES,
                                       CF_RINGS,        CF_MAILBOX,  CF_LIST_BASE};
    return values;
}

void choose_variant(std::uint32_t variant) { nic_rx::the_block().choose(variant); }
void clear_coverage() { nic_rx::the_block().clear_coverage(); }
void write_coverage(const std::string& file) { nic_rx::the_block().write_coverage(file); }

}  // namespace contraflow::testing

namespace contraflow::lib {

const char* set_name() { return CF_SET_NAME; }

}  // namespace contraflow::lib
