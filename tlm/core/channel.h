// SPDX-License-Identifier: Apache-2.0
// A bounded queue of one kind of item from one sender to one receiver.
//
//   sender --ready()? push()--> [ queue: depth, units, latency, interval ] --can_take()? take()--> receiver
//          <--channel_ready()--                                            <--resume()--
//
// A push that does not fit is refused, and the sender is told when it would fit. An item is offered to the receiver
// when it is due; a refused item stays first until the receiver calls resume(). The room it leaves is free at once, or
// comes back to the sender as a credit after a delay. With a depth of 0 there is no queue: an item is taken when it is
// pushed or not at all (ready/valid), and latency, interval and credits do not apply. In = out + held + dropped,
// always. Each item costs one callback of the scheduler, or none at depth 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/bounded_queue.h"
#include "core/credits.h"
#include "core/scheduler.h"
#include "core/timer.h"
#include "core/waiting.h"

namespace contraflow::core {

// `port` is the number that each end gave when the channel was made.
template <class T> class channel_sender_if {
public:
    // The push that was refused last would now be accepted.
    virtual void channel_ready(unsigned port) = 0;
    // A reset has dropped the item; it belongs to the sender again.
    virtual void channel_dropped(unsigned, const T&) {}

protected:
    ~channel_sender_if() = default;
};

template <class T> class channel_receiver_if {
public:
    // If not, resume() offers it again.
    virtual bool can_take(unsigned port, const T& item) = 0;
    // The item has left the channel, and its sender may have pushed another.
    virtual void take(unsigned port, T item) = 0;

protected:
    ~channel_receiver_if() = default;
};

// For statistics, which are in a folder above: told when the number of items in a channel has changed.
class channel_observer_if {
public:
    virtual void held_changed(sim_time now, int by) = 0;

protected:
    ~channel_observer_if() = default;
};

struct channel_spec {
    std::string path;
    std::size_t depth = 1;         // items; 0: no queue
    std::uint64_t units = 0;       // limit on the sum over its items (phits, flits, bytes); 0: not counted
    sim_time latency{};            // minimum time from a push until the item is offered
    sim_time interval{};           // minimum time between two offers
    sim_time credit_latency{};     // from taking an item until its sender knows of the room
    const char* item = "an item";  // for reports of waits, if there is no queue
};

template <class T> class channel final : public waiter_if {
public:
    struct sender {
        channel_sender_if<T>& owner;
        unsigned port;
        std::string name;  // for reports of waits
    };
    struct receiver {
        channel_receiver_if<T>& owner;
        unsigned port;
        std::string name;
    };

    channel(scheduler& events, channel_spec s, sender from, receiver to)
        : events_(events),
          spec_(std::move(s)),
          from_(std::move(from)),
          to_(std::move(to)),
          queue_(spec_.depth),
          items_(spec_.depth, spec_.credit_latency.ps == 0 ? 0 : spec_.depth),
          units_(spec_.units, spec_.credit_latency.ps == 0 ? 0 : spec_.depth),
          offer_(events, *this),
          credit_(events, *this) {
        const bool timed = spec_.latency.ps != 0 || spec_.interval.ps != 0 || spec_.credit_latency.ps != 0;
        if (spec_.depth == 0 && (timed || spec_.units != 0))
            throw std::invalid_argument(spec_.path + ": a channel without a queue takes no time and counts no units");
    }

    // --- sender
    // Would push() accept this now? If not, channel_ready() follows. More than the channel holds is a program error.
    bool ready(const T& item, std::uint64_t units = 1) {
        if (spec_.units != 0 && units > spec_.units)
            throw std::logic_error(spec_.path + ": an item of more units than the channel holds");
        if (spec_.depth == 0 ? to_.owner.can_take(to_.port, item) : fits(units)) return true;
        if (!refused_) refused_since_ = events_.now();
        refused_ = true;
        refused_units_ = units;
        if (spec_.credit_latency.ps != 0) arm_credit();
        return false;
    }
    // Allowed only when ready().
    void push(T item, std::uint64_t units = 1) {
        ++pushed_;
        if (spec_.depth == 0) {
            ++taken_;
            return to_.owner.take(to_.port, std::move(item));
        }
        const sim_time due = std::max(events_.now() + spec_.latency, next_due_);
        items_.take(1);
        if (spec_.units != 0) units_.take(units);
        if (!queue_.try_push({std::move(item), units, due}))
            throw std::logic_error(spec_.path + ": an item was pushed that ready() refuses");
        next_due_ = due + spec_.interval;
        if (observer_ != nullptr) observer_->held_changed(events_.now(), 1);
        if (queue_.size() == 1) offer_.arm(due);
    }
    bool try_push(T item, std::uint64_t units = 1) {
        if (!ready(item, units)) return false;
        push(std::move(item), units);
        return true;
    }

    // --- receiver
    // The receiver may now accept the item that it refused.
    void resume() { spec_.depth == 0 ? tell_refused() : offer(); }
    // The item that is due and not yet taken, or null.
    const T* front() const { return due() ? &queue_.front().item : nullptr; }

    // --- both
    // Empties the channel. Its items belong to the sender again, and no armed callback runs afterwards.
    void reset() {
        offer_.cancel();
        credit_.cancel();
        refused_ = false;
        next_due_ = {};
        items_.reset();
        units_.reset();
        while (!queue_.empty()) {
            const T item = queue_.pop().item;
            ++dropped_;
            if (observer_ != nullptr) observer_->held_changed(events_.now(), -1);
            from_.owner.channel_dropped(from_.port, item);
        }
    }
    void set_observer(channel_observer_if* observer) { observer_ = observer; }
    const channel_spec& configuration() const { return spec_; }
    std::uint64_t pushed() const { return pushed_; }
    std::uint64_t taken() const { return taken_; }
    std::uint64_t dropped() const { return dropped_; }
    std::size_t held() const { return queue_.size(); }
    // Whether a push was refused and the sender not told since that it may try again.
    bool refused() const { return refused_; }
    // Credits here, on their way back and held by items: always equal to the depth, or to the units.
    std::uint64_t all_items() const { return items_.all() + queue_.size(); }
    std::uint64_t all_units() const {
        std::uint64_t sum = units_.all();
        for (std::size_t i = 0; spec_.units != 0 && i < queue_.size(); ++i) sum += queue_[i].units;
        return sum;
    }
    void report_waits(std::vector<wait_edge>& edges) const override {
        if (due()) edges.push_back({spec_.path, "its first item to be taken", to_.name, queue_.front().due});
        if (!refused_) return;
        if (spec_.depth == 0)
            edges.push_back({from_.name, std::string("acceptance of ") + spec_.item, to_.name, refused_since_});
        else
            edges.push_back({from_.name, "room in a queue", spec_.path, refused_since_});
    }

private:
    struct slot {
        T item{};
        std::uint64_t units = 0;
        sim_time due{};
    };

    bool due() const { return !queue_.empty() && queue_.front().due <= events_.now(); }
    bool fits(std::uint64_t units) {
        const sim_time now = events_.now();
        return items_.available(now) > 0 && (spec_.units == 0 || units_.available(now) >= units);
    }
    // An item leaves the queue before it is taken, so the receiver may use the channel while it takes the item.
    void offer() {
        while (due() && to_.owner.can_take(to_.port, queue_.front().item)) {
            slot first = queue_.pop();
            const sim_time back = events_.now() + spec_.credit_latency;
            items_.give_back(1, back);
            if (spec_.units != 0) units_.give_back(first.units, back);
            ++taken_;
            if (observer_ != nullptr) observer_->held_changed(events_.now(), -1);
            if (!queue_.empty() && !due()) offer_.arm(queue_.front().due);
            if (refused_) spec_.credit_latency.ps == 0 ? credit_returned() : arm_credit();
            to_.owner.take(to_.port, std::move(first.item));
        }
    }
    void arm_credit() {
        sim_time at = items_.when(1);
        if (spec_.units != 0) at = std::max(at, units_.when(refused_units_));
        if (at != sim_time::never()) credit_.arm_by(std::max(at, events_.now()));
    }
    void credit_returned() {
        if (refused_ && fits(refused_units_)) tell_refused();
    }
    void tell_refused() {
        if (!std::exchange(refused_, false)) return;
        from_.owner.channel_ready(from_.port);
    }

    scheduler& events_;
    const channel_spec spec_;
    const sender from_;
    const receiver to_;
    bounded_queue<slot> queue_;
    credits items_, units_;
    sim_time next_due_{};
    timer<&channel::offer> offer_;
    timer<&channel::credit_returned> credit_;
    bool refused_ = false;
    std::uint64_t refused_units_ = 0;
    sim_time refused_since_{};
    channel_observer_if* observer_ = nullptr;
    std::uint64_t pushed_ = 0, taken_ = 0, dropped_ = 0;
};

}  // namespace contraflow::core
