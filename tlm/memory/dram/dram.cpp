// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "memory/transaction/byte_enables.h"

namespace contraflow::memory {
namespace {

constexpr unsigned no_request = ~0u;
constexpr auto bandwidth_window = core::sim_time::from_us(1);

dram_access kind_of(const tlm::tlm_generic_payload& trans) {
    return trans.is_write() ? dram_access::write : dram_access::read;
}

}  // namespace

struct dram::served_channel {
    served_channel(dram& d, unsigned n)
        : owner(d),
          number(n),
          channel(d.spec_, n),
          served(d.events_, d),
          next(d.events_, *this) {}
    void step() { owner.serve(*this, true); }
    dram& owner;
    const unsigned number;
    dram_channel channel;
    delay_line<dram, &dram::answer> served;
    core::timer<&served_channel::step> next;
    unsigned turn = 0;  // the port that is looked at first when there is room
};

dram::statistics_set::statistics_set(observe::statistics& group, const std::string& path)
    : reads(group, path + ".reads", "requests", "reads"),
      writes(group, path + ".writes", "requests", "writes"),
      atomics(group, path + ".atomics", "requests", "atomic operations that came as far as the memory"),
      refused(group, path + ".refused", "requests", "requests answered with an error"),
      read_bytes(group, path + ".read_bytes", "bytes", "bytes read"),
      written_bytes(group, path + ".written_bytes", "bytes", "bytes written, disabled ones included"),
      row_hits(group, path + ".row_hits", "requests", "requests whose row was open"),
      rows_opened(group, path + ".rows_opened", "requests", "requests whose bank had no row open"),
      row_conflicts(group, path + ".row_conflicts", "requests", "requests whose bank had another row open"),
      bus_busy(group, path + ".bus_busy", "ps", "time the buses carried data, all channels together"),
      turns(group, path + ".turns", "turns", "changes of the buses' direction, all channels together"),
      under_way(group, path + ".under_way", "requests", "requests taken in and not answered yet"),
      latency(group, path + ".latency", "ps", "time from taking a request in to its answer"),
      transferred(group, path + ".transferred", "bytes", "bytes read and written, by window of time",
                  bandwidth_window) {}

dram::dram(const sc_core::sc_module_name& name, const resources& shared, const dram_spec& s)
    : sc_core::sc_module(name),
      events_(shared.events),
      spec_(s),
      spread_(s.channels, s.granule.count, s.hashed),
      bytes_(s.base, s.size),
      statistics_(shared.statistics, sc_object::name()),
      wanted_(s.ports, no_request),
      blocked_(s.ports, false),
      acknowledged_(shared.events, *this) {
    if (s.ports == 0 || s.queue == 0 || s.write_queue == 0)
        throw std::invalid_argument("dram: no ports, or a queue without room");
    for (const config::problem& p : problems_of(s)) throw std::invalid_argument("dram: " + p.message);
    for (unsigned i = 0; i < s.ports; ++i) {
        const std::string port = s.ports == 1 ? "up" : fmt::format("up[{}]", i);
        ports_.push_back(
            std::make_unique<response_port>(port.c_str(), shared, static_cast<response_owner_if&>(*this), i));
    }
    for (unsigned i = 0; i < s.channels; ++i) channels_.push_back(std::make_unique<served_channel>(*this, i));
}

dram::~dram() = default;

bool dram::request_arrived(unsigned port, memory_extension& request) {
    if (!intake_.taking) return false;
    const tlm::tlm_generic_payload& trans = request.carrier();
    served_channel& to = *channels_[channel_of(trans.get_address())];
    if (to.channel.full(kind_of(trans))) {
        wanted_[port] = to.number;
        ++held_back_;
        return false;
    }
    take_in(port, request, to);
    serve(to, false);
    return true;
}

void dram::take_in(unsigned port, memory_extension& request, served_channel& to) {
    tlm::tlm_generic_payload& trans = request.carrier();
    const core::sim_time now = events_.now();
    const tlm::tlm_response_status status = access(trans, &request);
    trans.set_response_status(status);
    request.push_route(port);
    request.times.pass(name(), now);
    statistics_.under_way.set(now, static_cast<double>(++accepted_ - answered_));
    const dram_access kind = kind_of(trans);
    const bool ok = status == tlm::TLM_OK_RESPONSE;
    if (!ok) ++statistics_.refused;
    if (ok) {
        ++queued_[static_cast<std::size_t>(kind)];
        to.channel.add(kind, kind == dram_access::read ? &request : nullptr,
                       spread_.within(trans.get_address() - spec_.base), trans.get_data_length(), now);
    }
    if (ok && kind == dram_access::read) return;
    if (ok) statistics_.latency.add(spec_.overhead.ps);
    acknowledged_.push(request, now + spec_.overhead);
}

void dram::serve(served_channel& l, bool may_admit) {
    const core::sim_time now = events_.now();
    if (!intake_.serving || blocked_ports_ > 0) return;
    while (l.channel.next_step() <= now) {
        const std::optional<dram_channel::service> s = l.channel.step(now);
        if (!s) continue;
        ++carried_[static_cast<std::size_t>(s->request == nullptr ? dram_access::write : dram_access::read)];
        statistics_.bus_busy += s->bus_time.ps;
        ++(s->row == row_state::hit      ? statistics_.row_hits
           : s->row == row_state::closed ? statistics_.rows_opened
                                         : statistics_.row_conflicts);
        if (s->turned) ++statistics_.turns;
        if (s->request != nullptr) {
            const core::sim_time answered = s->done + spec_.overhead;
            statistics_.latency.add((answered - s->arrived).ps);
            l.served.push(*s->request, answered);
        }
        if (may_admit && held_back_ > 0) admit(l);
    }
    if (!l.channel.empty()) l.next.arm_by(l.channel.next_step());
}

// Ports that wait for this channel enter it, in round-robin order.
void dram::admit(served_channel& l) {
    const auto ports = static_cast<unsigned>(ports_.size());
    for (unsigned i = 0, first = l.turn; i < ports && intake_.taking; ++i) {
        const unsigned port = (first + i) % ports;
        if (wanted_[port] != l.number || l.channel.full(kind_of(ports_[port]->held()->carrier()))) continue;
        wanted_[port] = no_request;
        --held_back_;
        l.turn = (port + 1) % ports;
        take_in(port, ports_[port]->take_request(), l);
    }
}

void dram::answer(memory_extension& request) {
    const core::sim_time now = events_.now();
    const std::uint32_t port = request.pop_route();
    request.milestone(request.origin.gpu == spec_.socket ? stage::dram : stage::remote_dram, now);
    statistics_.under_way.set(now, static_cast<double>(accepted_ - ++answered_));
    ports_[port]->respond(request);
    if (ports_[port]->ready() || blocked_[port]) return;
    blocked_[port] = true;
    ++blocked_ports_;
}

void dram::response_port_ready(unsigned port) {
    if (!blocked_[port]) return;
    blocked_[port] = false;
    --blocked_ports_;
    resume();
}

// Looks again at all requests that may have been stopped.
void dram::resume() {
    for (unsigned port = 0; port < ports_.size(); ++port) {
        const memory_extension* const held = ports_[port]->held();
        if (held == nullptr || wanted_[port] != no_request || !intake_.taking) continue;
        served_channel& to = *channels_[channel_of(held->carrier().get_address())];
        if (to.channel.full(kind_of(held->carrier()))) {
            wanted_[port] = to.number;
            ++held_back_;
        } else {
            take_in(port, ports_[port]->take_request(), to);
        }
    }
    for (const auto& l : channels_) {
        if (held_back_ > 0) admit(*l);
        if (!l->channel.empty()) l->next.arm_by(std::max(events_.now(), l->channel.next_step()));
    }
}

tlm::tlm_response_status dram::access(tlm::tlm_generic_payload& trans, const memory_extension* request) {
    const std::uint64_t address = trans.get_address();
    const unsigned length = trans.get_data_length();
    std::uint8_t* const data = trans.get_data_ptr();
    const bool is_atomic = trans.get_command() == tlm::TLM_IGNORE_COMMAND;
    if (is_atomic && (request == nullptr || request->atomic().op == atomic_op::none)) return tlm::TLM_OK_RESPONSE;
    if (!bytes_.contains(address, length)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (length == 0 || data == nullptr || trans.get_streaming_width() < length) return tlm::TLM_BURST_ERROR_RESPONSE;
    if (is_atomic) {
        ++statistics_.atomics;
        if (!bytes_.in_one_page(address, length)) return tlm::TLM_BURST_ERROR_RESPONSE;
        return perform(request->atomic(), bytes_.at(address), data, trans.get_byte_enable_ptr(),
                       trans.get_byte_enable_length(), length)
                   ? tlm::TLM_OK_RESPONSE
                   : tlm::TLM_COMMAND_ERROR_RESPONSE;
    }
    const bool is_write = trans.is_write();
    ++(is_write ? statistics_.writes : statistics_.reads);
    (is_write ? statistics_.written_bytes : statistics_.read_bytes) += length;
    statistics_.transferred.add(events_.now(), length);
    if (trans.get_byte_enable_ptr() == nullptr) {
        if (is_write)
            bytes_.write(address, data, length);
        else
            bytes_.read(address, data, length);
    } else if (bytes_.in_one_page(address, length)) {
        transfer(trans, bytes_.at(address));
    } else {
        for (unsigned i = 0; i < length; ++i) {
            if (trans.get_byte_enable_ptr()[i % trans.get_byte_enable_length()] == TLM_BYTE_DISABLED) continue;
            if (is_write)
                bytes_.write(address + i, data + i, 1);
            else
                bytes_.read(address + i, data + i, 1);
        }
    }
    return tlm::TLM_OK_RESPONSE;
}

void dram::blocking_access(unsigned, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) {
    trans.set_response_status(access(trans, extension_of(trans)));
    const core::sim_time bus = spec_.channel_bandwidth.time_of({trans.get_data_length()});
    const core::sim_time banks = spec_.activate + spec_.column + bus;
    delay += sc_core::sc_time::from_value((trans.is_write() ? spec_.overhead : spec_.overhead + banks).ps);
}

unsigned dram::debug_access(unsigned, tlm::tlm_generic_payload& trans) {
    const std::uint64_t address = trans.get_address();
    if (!bytes_.contains(address, 1) || trans.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
    const auto length = static_cast<unsigned>(
        std::min<std::uint64_t>(trans.get_data_length(), spec_.base + spec_.size.count - address));
    if (trans.is_write())
        bytes_.write(address, trans.get_data_ptr(), length);
    else
        bytes_.read(address, trans.get_data_ptr(), length);
    return length;
}

bool dram::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) {
        reset();
        return true;
    }
    if (!intake_.control(verb)) return false;  // there are no copies to invalidate or to write back
    if (intake_.serving) resume();
    return true;
}

void dram::reset() {
    for (const auto& p : ports_) p->reset();
    for (const auto& l : channels_) {
        l->channel.reset();
        l->served.reset();
        l->next.cancel();
        l->turn = 0;
    }
    acknowledged_.reset();
    wanted_.assign(wanted_.size(), no_request);
    blocked_.assign(blocked_.size(), false);
    held_back_ = blocked_ports_ = 0;
    intake_ = {};
    accepted_ = answered_ = 0;
    queued_ = carried_ = {};
    statistics_.under_way.set(events_.now(), 0);
}

bool dram::idle() const {
    return accepted_ == answered_ &&
           std::all_of(ports_.begin(), ports_.end(), [](const auto& p) { return p->ready(); });
}

void dram::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const auto& p : ports_)
        if (!p->ready())
            edges.push_back({p->name(), "acceptance of a response", p->peer_name(), p->responding_since()});
    for (const auto& l : channels_) {
        if (l->channel.empty() || blocked_ports_ == 0) continue;
        const auto blocked = std::find(blocked_.begin(), blocked_.end(), true) - blocked_.begin();
        edges.push_back({fmt::format("{}.channel[{}]", name(), l->number), "responses to be taken",
                         ports_[static_cast<std::size_t>(blocked)]->name(), l->channel.oldest_since()});
    }
}

std::uint64_t dram::waiting(dram_access kind) const {
    std::uint64_t all = 0;
    for (const auto& l : channels_) all += l->channel.waiting(kind);
    return all;
}

// A write is answered before it is carried, so requests that were answered say nothing of it.
void dram::check(observe::conservation& checks) const {
    checks.check(fmt::format("{}: requests taken and answered", name()), "requests", accepted_, answered_);
    for (const dram_access kind : {dram_access::read, dram_access::write}) {
        const auto k = static_cast<std::size_t>(kind);
        checks.check(fmt::format("{}: {} taken into queues, and carried or still there", name(),
                                 kind == dram_access::read ? "reads" : "writes"),
                     "requests", queued_[k], carried_[k] + waiting(kind));
    }
}

}  // namespace contraflow::memory
