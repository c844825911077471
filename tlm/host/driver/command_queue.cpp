// SPDX-License-Identifier: Apache-2.0
#include "host/driver/command_queue.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "host/driver/copy_command.h"
#include "host/driver/driver.h"
#include "host/driver/launch_command.h"

namespace contraflow::host {
namespace {

class record_command final : public command {
public:
    explicit record_command(command_queue& queue) : command(queue, "record") {}

private:
    void begin() override { queue().finished(*this); }
    std::string holder() const override { return "host"; }
    bool on_gpu() const override { return false; }
};

class wait_command final : public command {
public:
    wait_command(command_queue& queue, event e) : command(queue, "wait"), event_(e) {}

private:
    void begin() override { event_.then(core::callback::to<&wait_command::over>(*this)); }
    void over() {
        if (!done()) queue().finished(*this);  // a reset may have ended it already
    }
    std::string holder() const override { return event_.of().queue_path(); }
    bool on_gpu() const override { return false; }

    event event_;
};

}  // namespace

class synchronise_command final : public command {
public:
    explicit synchronise_command(command_queue& queue) : command(queue, "synchronise") {}

private:
    void begin() override {
        fail(queue().take_unreported());
        queue().finished(*this);
    }
    std::string holder() const override { return "host"; }
    bool on_gpu() const override { return false; }
};

const std::string& command::queue_path() const { return queue_->path(); }

command_queue::command_queue(driver& owner, context& process, unsigned gpu, std::string path)
    : owner_(owner),
      process_(process),
      gpu_(gpu),
      path_(std::move(path)),
      calls_(owner.machine().events(), *this) {}

event command_queue::launch(gpu::kernel_launch kernel) {
    const gpu::cta_run all{0, kernel.ctas()};
    return launch(std::move(kernel), all);
}

event command_queue::launch(gpu::kernel_launch kernel, gpu::cta_run run) {
    if (run.begin > run.end || run.end > kernel.ctas())
        throw std::invalid_argument(
            fmt::format("kernel {}: workgroups {} to {} of {}", kernel.name(), run.begin, run.end, kernel.ctas()));
    for (const unsigned g : owner_.gpus().members(gpu_)) owner_.machine().processor(g).check_room(kernel);
    return put<launch_command>(std::move(kernel), run);
}

event command_queue::copy_to_device(std::uint64_t to, std::span<const std::byte> from) {
    (void)owner_.memory().range_of(process_.process(), to, from.size());
    // The engine only reads it.
    return put<copy_command>(gpu::copy_kind::to_device, to, std::uint64_t{0}, const_cast<std::byte*>(from.data()),
                             from.size());
}

event command_queue::copy_from_device(std::span<std::byte> to, std::uint64_t from) {
    (void)owner_.memory().range_of(process_.process(), from, to.size());
    return put<copy_command>(gpu::copy_kind::from_device, std::uint64_t{0}, from, to.data(), to.size());
}

event command_queue::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    (void)owner_.memory().range_of(process_.process(), to, bytes);
    (void)owner_.memory().range_of(process_.process(), from, bytes);
    if (to < from + bytes && from < to + bytes)
        throw std::invalid_argument(
            fmt::format("a copy of {} bytes from {:#x} to {:#x}, which overlap", bytes, from, to));
    return put<copy_command>(gpu::copy_kind::within, to, from, nullptr, bytes);
}

event command_queue::record() { return put<record_command>(); }

void command_queue::wait(event e) { put<wait_command>(e); }

event command_queue::synchronise() { return put<synchronise_command>(); }

event command_queue::enqueue() {
    command& c = *commands_.back();
    pending_.push_back(&c);
    begin_first();
    return event(c);
}

void command_queue::begin_first() {
    if (busy_ || pending_.empty()) return;
    if (!owner_.gives()) {
        stopped_since_ = owner_.machine().events().now();
        return;
    }
    busy_ = true;
    command& c = *pending_.front();
    c.begun_ = owner_.machine().events().now();
    calls_.after<&command_queue::give_first>(c.on_gpu() ? owner_.command_latency() : core::sim_time{});
}

void command_queue::give_first() {
    begun_ = true;
    pending_.front()->begin();
}

void command_queue::finished(command& c) {
    calls_.after<&command_queue::first_done>(c.on_gpu() ? owner_.command_latency() : core::sim_time{});
}

void command_queue::first_done() {
    command& c = *pending_.front();
    pending_.pop_front();
    busy_ = begun_ = false;
    std::vector<core::callback> waiting;
    end(c, waiting);
    begin_first();
    for (const core::callback& w : waiting) w();
}

void command_queue::end(command& c, std::vector<core::callback>& waiting) {
    c.done_ = true;
    c.ended_ = owner_.machine().events().now();
    if (c.on_gpu())
        owner_.statistics().latency.add((c.ended_ - c.begun_).ps / 1000);
    else
        ++owner_.statistics().events;
    if (c.error_ && c.on_gpu()) failed_.push_back(&c);
    waiting.insert(waiting.end(), c.waiting_.begin(), c.waiting_.end());
    c.waiting_ = {};
}

std::exception_ptr command_queue::take_unreported() {
    std::exception_ptr first;
    for (const command* c : std::exchange(failed_, {}))
        if (!first && !c->reported_) first = c->error();
    return first;
}

void command_queue::go_on() { begin_first(); }

// A command that was given to a GPU ends when the GPU reports its end.
void command_queue::drop(const std::exception_ptr& why) {
    std::vector<core::callback> waiting;
    const bool keep_first = busy_ && begun_ && pending_.front()->on_gpu() && pending_.front()->given();
    std::deque<command*> dropped(pending_.begin() + (keep_first ? 1 : 0), pending_.end());
    pending_.resize(keep_first ? 1 : 0);
    if (!keep_first) {
        calls_.cancel();
        busy_ = begun_ = false;
    }
    for (command* c : dropped) {
        c->fail(why);
        end(*c, waiting);
    }
    for (const core::callback& w : waiting) w();
}

void command_queue::report_waits(std::vector<core::wait_edge>& edges) const {
    if (pending_.empty()) return;
    const command& c = *pending_.front();
    if (!busy_) return edges.push_back({path_, "enable", "host", stopped_since_});
    edges.push_back({path_, "end of " + c.name(), c.holder(), c.begun_});
}

}  // namespace contraflow::host
