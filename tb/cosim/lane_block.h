// SPDX-License-Identifier: Apache-2.0
// The lane-reversal controller of rtl/lane_reversal, Verilated: one instance, clocked from C++. It shows a cycle; an
// edge of its clock leads to the next. Cycles in which nothing but counting goes on can be skipped at once. Which ones,
// and when, is up to those who use it; what the block does in between is the RTL's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "config/problem.h"
#include "link/lane_controller_if.h"
#include "link/lane_spec.h"

namespace contraflow::wave {
class wave_file;
}

namespace contraflow::cosim {

// What is given to the block with an edge: it holds from the cycle that begins there.
struct lane_edge {
    bool launch = false;
    // Lanes that fail: that serve the direction then, or else turn to it.
    link::by_direction<unsigned> faults;
};

// What the block shows in a cycle. Masks have a bit a physical lane.
struct lane_view {
    link::by_direction<unsigned> lanes;
    unsigned turning = 0;
    unsigned failed = 0;  // of those that the specification speaks of
    bool window_end = false;
    link::lane_decision decision = link::lane_decision::none;
    link::lane_decision pending = link::lane_decision::none;  // on its way: the exchange
    link::by_direction<std::uint64_t> busy, capacity;         // lane-cycles of the window, this cycle included
    std::uint32_t a_serve = 0, b_serve = 0;                   // where an end may issue
    std::uint32_t a_drive = 0, b_drive = 0;                   // where its driver is on
};

class lane_block {
public:
    // A block with as many lanes as the specification asks for or the next larger one there is. With a wave file, all
    // its signals go there, under that name; the file must not be open yet.
    lane_block(const link::lane_spec& s, const std::string& name, wave::wave_file* waves = nullptr);
    ~lane_block();
    lane_block(const lane_block&) = delete;
    lane_block& operator=(const lane_block&) = delete;

    // What of the specification this RTL cannot do, if anything.
    static std::optional<config::problem> problem_of(const link::lane_spec& s);

    // Resets it and writes its registers. The edge that follows is the first launch: these lanes are there then.
    void reset(const link::by_direction<unsigned>& lanes);
    // What is given with the next edge. Once before each edge, and shown by what depends on it.
    void prepare(const lane_edge& e);
    // From the cycle it shows to the next one.
    void edge();
    // Phits are put on those lanes in the cycle it shows, with the clock low, until the next edge; what depends on them
    // shows after it.
    void issue(std::uint32_t on_a, std::uint32_t on_b);
    // On the first so many lanes that serve each direction.
    void issue(const link::by_direction<std::uint64_t>& phits);
    // After an edge, what comes from registers is up to date; window_end, decision, busy and capacity after issue().
    const lane_view& view() const { return view_; }

    // How many cycles can be skipped from this one: in all of them, and in the one that is then shown, nothing happens
    // but counting. Without issue and without an edge of their own.
    std::uint64_t skippable() const;
    void skip(std::uint64_t cycles);
    // A whole number of windows, in which no lane turns and nothing is issued.
    bool at_rest() const;
    void skip_windows(std::uint64_t windows);
    // What was issued in the cycles of the window before this one.
    void set_busy(const link::by_direction<std::uint64_t>& lane_cycles);

    // Counted by the block since its reset, up to 65535.
    std::uint64_t turns() const;
    std::uint64_t windows() const;

    struct model;  // the Verilated class behind it

private:
    void write(std::uint32_t address, std::uint32_t value);
    void settle();
    void leave_out_absent();
    std::uint32_t lane_of(link::direction d) const;

    const link::lane_spec spec_;
    const bool traced_;
    std::unique_ptr<model> model_;
    std::uint32_t failing_ = 0;  // lanes that were never there or have failed
    lane_view view_;
    bool started_ = false;          // there was an edge since the reset
    bool issuing_ = false;          // in this cycle
    bool uneventful_ = true;        // nothing is given with the next edge
    bool settled_ = false;          // what depends on the inputs of this cycle is up to date
    mutable bool watched_ = false;  // somebody asked what can be skipped: edges find out
    bool only_counted_ = false;     // with the last edge; if watched
};

}  // namespace contraflow::cosim
