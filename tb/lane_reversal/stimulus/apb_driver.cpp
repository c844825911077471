// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/stimulus/apb_driver.h"

namespace contraflow::lane_reversal {

bool apb_driver::may_begin(bool busy_moment) {
    switch (rests_) {
    case lib::pattern::none: return true;
    case lib::pattern::one_in_n: return random_.below(4) == 0;
    case lib::pattern::bursty:
        if (rest_ > 0) {
            --rest_;
            return false;
        }
        if (random_.below(6) == 0) rest_ = static_cast<unsigned>(random_.below(40));
        return true;
    case lib::pattern::adversarial:
        // The wait has a limit: the moment that a transaction waits for may never come.
        return busy_moment || random_.below(64) == 0;
    }
    return true;
}

void apb_driver::drive(inputs& in, bool busy_moment) {
    // Without a transaction for this block the other bus signals may have any value: PENABLE and PWRITE may belong to
    // other blocks' transactions.
    in.psel = false;
    in.penable = random_.below(3) == 0;
    in.pwrite = random_.below(2) == 0;
    in.paddr = static_cast<std::uint8_t>(random_.next());
    in.pwdata = static_cast<std::uint32_t>(random_.next());
    if (queue_.empty()) return;
    if (!selected_ && !may_begin(busy_moment)) return;
    access_ = selected_;
    selected_ = true;
    const register_access& a = queue_.front();
    in.psel = true;
    in.penable = access_;
    in.pwrite = a.write;
    in.paddr = a.address;
    if (a.write) in.pwdata = a.data;
}

bool apb_driver::ended(bool pready) {
    if (!selected_ || !access_ || !pready) return false;
    selected_ = access_ = false;
    queue_.pop_front();
    return true;
}

}  // namespace contraflow::lane_reversal
