// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/command_processor.h"

#include <stdexcept>
#include <utility>

namespace contraflow::gpu {
namespace {

cta_dispatcher::spec several(cta_dispatcher::spec s, unsigned kernels) {
    s.concurrent = kernels;
    return s;
}

}  // namespace

void command_processor::spec::describe(config::fields<spec>& f) {
    f("kernels", &spec::kernels).in(1, 128).text("kernels under way together in a GPU");
    f("dma", &spec::dma).text("what copies");
}

command_processor::command_processor(const memory::resources& shared, std::string path, const spec& s,
                                     const cta_dispatcher::spec& dispatcher, core::sim_time cycle,
                                     kernel_boundary_if& machine)
    : events_(shared.events),
      path_(std::move(path)),
      cycle_(cycle),
      dispatcher_(shared.events, shared.statistics, path_ + ".dispatcher", several(dispatcher, s.kernels), cycle, 1),
      dma_(shared, path_ + ".dma", s.dma, core::callback::to<&command_processor::look_for_quiet>(*this)),
      calls_(shared.events, *this),
      drains_done_(shared.statistics, path_ + ".drains", "drains", "times that all was stopped and answered"),
      flushes_done_(shared.statistics, path_ + ".flushes", "flushes", "times that lines were written back"),
      shootdowns_done_(shared.statistics, path_ + ".shootdowns", "shootdowns", "shootdowns of translations") {
    dispatcher_.add_boundary(*this);
    dispatcher_.add_boundary(machine);
}

void command_processor::attach(gpu_socket& gpu) {
    gpu_ = &gpu;
    for (const auto& u : gpu.units()) dispatcher_.add_unit(0, *u);
    dma_.connect(gpu.client_port(dma_));
    if (gpu.translation() != nullptr) add_target(*gpu.translation());
}

void command_processor::connect_host(pcie::function& function, pcie_host& host, unsigned number) {
    dma_.connect_host(function, host.name());
    commands_ = std::make_unique<command_port>(function, host, number, static_cast<command_port::owner_if&>(*this));
}

bool command_processor::kernel_begins(const kernel_launch&) {
    gpu_->invalidate_copies();
    return true;
}

// ---- drain and restart

void command_processor::control_parts(core::control_verb verb) {
    for (const auto& u : gpu_->units()) u->control(verb);
    dma_.control(verb);
}

bool command_processor::quiet() const {
    for (const auto& u : gpu_->units())
        if (u->in_memory() != 0) return false;
    return dma_.quiet();
}

void command_processor::drain(core::callback done) {
    drains_.push_back(done);
    if (stops_++ == 0) {
        stopped_since_ = events_.now();
        control_parts(core::control_verb::pause);
    }
    look_for_quiet();
}

void command_processor::look_for_quiet() {
    if (!drains_.empty() && quiet()) calls_.after<&command_processor::drained>({});
}

void command_processor::drained() {
    const std::vector<core::callback> done = std::exchange(drains_, {});
    drains_done_ += done.size();
    for (const core::callback& c : done) c();
}

void command_processor::restart() {
    if (stops_ == 0) throw std::logic_error(path_ + ": a restart without a drain");
    if (--stops_ == 0 && !stopped_by_user_) control_parts(core::control_verb::enable);
}

// ---- flush

void command_processor::flush(memory::line_filter which, core::callback done) {
    flushes_.push_back({which, done});
    if (flushes_.size() == 1) begin_flush();
}

void command_processor::invalidate_copies(memory::line_filter which) {
    for (const auto& c : gpu_->first_level()) c->invalidate(which);
    for (const auto& c : gpu_->remote_caches()) c->invalidate(which);
}

void command_processor::begin_flush() {
    const auto& banks = gpu_->second_level();
    if (std::any_of(banks.begin(), banks.end(), [](const auto& bank) { return bank->flushing(); }))
        return calls_.after<&command_processor::begin_flush>(cycle_);  // another flush is under way
    const memory::line_filter which = flushes_.front().which;
    flush_since_ = events_.now();
    invalidate_copies(which);
    banks_missing_ = static_cast<unsigned>(banks.size());
    for (const auto& bank : banks) bank->flush(which, calls_.make<&command_processor::bank_flushed>());
}

// This may run within a call of the memory system, so the next step has a callback of its own.
void command_processor::bank_flushed() {
    if (--banks_missing_ == 0) calls_.after<&command_processor::flushed>({});
}

void command_processor::flushed() {
    const core::callback done = flushes_.front().done;
    flushes_.erase(flushes_.begin());
    ++flushes_done_;
    if (!flushes_.empty()) begin_flush();
    done();
}

// ---- shootdown

void command_processor::shoot_down(const shootdown& what, core::callback done) {
    shootdowns_.push_back({what, done});
    if (shootdowns_.size() == 1) begin_shootdown();
}

void command_processor::begin_shootdown() {
    shootdown_since_ = events_.now();
    targets_missing_ = static_cast<unsigned>(targets_.size());
    if (targets_.empty()) return calls_.after<&command_processor::shot_down>({});
    for (shootdown_target_if* t : targets_)
        t->shoot_down(shootdowns_.front().what, calls_.make<&command_processor::target_done>());
}

void command_processor::target_done() {
    if (--targets_missing_ == 0) calls_.after<&command_processor::shot_down>({});
}

void command_processor::shot_down() {
    const core::callback done = shootdowns_.front().done;
    shootdowns_.erase(shootdowns_.begin());
    ++shootdowns_done_;
    if (!shootdowns_.empty()) begin_shootdown();
    done();
}

// ---- control and questions

bool command_processor::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::pause:
    case core::control_verb::drain:
        stopped_by_user_ = true;
        control_parts(verb);
        return true;
    case core::control_verb::enable:
        stopped_by_user_ = false;
        if (stops_ == 0) control_parts(verb);  // otherwise the restart enables them
        return true;
    case core::control_verb::invalidate: return gpu_->control(verb);
    case core::control_verb::flush: flush({}, {}); return true;
    case core::control_verb::reset: {
        calls_.cancel();
        stops_ = 0;
        stopped_by_user_ = false;
        drains_.clear();
        flushes_.clear();
        shootdowns_.clear();
        if (commands_) commands_->begin_reset();
        dispatcher_.reset(std::make_exception_ptr(std::runtime_error(path_ + " was reset")));
        dma_.control(verb);
        if (commands_) commands_->end_reset();
        return true;
    }
    }
    return false;
}

bool command_processor::idle() const {
    return dispatcher_.idle() && dma_.idle() && drains_.empty() && flushes_.empty() && shootdowns_.empty();
}

void command_processor::report_waits(std::vector<core::wait_edge>& edges) const {
    dispatcher_.report_waits(edges);
    dma_.report_waits(edges);
    if (stops_ != 0) edges.push_back({gpu_->name(), "restart", path_, stopped_since_});
    if (!drains_.empty())
        for (const auto& u : gpu_->units())
            if (u->in_memory() != 0) edges.push_back({path_, "drain", u->name(), stopped_since_});
    if (!flushes_.empty())
        for (const auto& c : gpu_->second_level())
            if (c->flushing()) edges.push_back({path_, "flush", c->name(), flush_since_});
    if (!shootdowns_.empty())
        edges.push_back({path_, "acknowledgement of a shootdown",
                         gpu_->translation() != nullptr ? gpu_->translation()->name() : "translations",
                         shootdown_since_});
}

void command_processor::check(observe::conservation& checks) const {
    dispatcher_.check(checks);
    dma_.check(checks);
}

}  // namespace contraflow::gpu
