// SPDX-License-Identifier: Apache-2.0
// The master of an APB: accesses one after the other, each a set-up cycle, then access cycles until the block is ready.
// The bus rests between them in one of four patterns. Pins are psel, penable, pwrite, paddr and pwdata of a structure
// of inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/random.h"
#include "lib/gate.h"

namespace contraflow::lib {

struct bus_access {
    bool write = false;
    std::uint32_t address = 0;
    std::uint32_t data = 0;  // of a write
};

class apb_master {
public:
    // `shared`: the other pins have any value while the block is not selected, for they belong to accesses of others;
    // else they stay, but for penable, which is low.
    apb_master(std::uint64_t seed, pattern rests, bool shared) : random_(seed), rests_(rests), shared_(shared) {}

    void add(const bus_access& a) { waiting_.push_back(a); }
    std::size_t waiting() const { return waiting_.size(); }
    bool idle() const { return waiting_.empty() && !selected_; }
    // The pins of a cycle. In a `moment` an adversarial master begins.
    template <class Inputs> void drive(Inputs& in, bool moment) {
        in.psel = in.penable = false;
        if (shared_) drive_others(in);
        if (waiting_.empty()) return;
        if (!selected_ && !may_begin(moment)) return;
        enabled_ = selected_;
        selected_ = true;
        const bus_access& a = waiting_.front();
        in.psel = true;
        in.penable = enabled_;
        in.pwrite = a.write;
        in.paddr = static_cast<decltype(in.paddr)>(a.address);
        if (a.write)
            in.pwdata = a.data;
        else if (!shared_)
            in.pwdata = static_cast<std::uint32_t>(random_.next());  // of no meaning to a read
    }
    // After the cycle: whether an access has ended in it.
    bool ended(bool pready) {
        if (!enabled_ || !pready) return false;
        selected_ = enabled_ = false;
        waiting_.pop_front();
        return true;
    }
    // An access that has begun begins again.
    void reset() { selected_ = enabled_ = false; }

private:
    static constexpr std::uint64_t longest_rest = 64;  // cycles, on average: the moment may never come

    // Most accesses follow each other at once in a burst; a gate's bursts are as long as its pauses.
    bool may_begin(bool moment) {
        switch (rests_) {
        case pattern::none: return true;
        case pattern::one_in_n: return random_.below(4) == 0;
        case pattern::bursty:
            if (rest_ > 0) {
                --rest_;
                return false;
            }
            if (random_.below(6) == 0) rest_ = static_cast<unsigned>(random_.below(40));
            return true;
        case pattern::adversarial: return moment || random_.below(longest_rest) == 0;
        }
        return true;
    }

    template <class Inputs> void drive_others(Inputs& in) {
        in.penable = random_.below(3) == 0;
        in.pwrite = random_.below(2) == 0;
        in.paddr = static_cast<decltype(in.paddr)>(random_.next());
        in.pwdata = static_cast<std::uint32_t>(random_.next());
    }

    core::random_source random_;
    pattern rests_;
    bool shared_;
    std::deque<bus_access> waiting_;
    bool selected_ = false, enabled_ = false;
    unsigned rest_ = 0;  // cycles
};

}  // namespace contraflow::lib
