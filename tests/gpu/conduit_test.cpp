// SPDX-License-Identifier: Apache-2.0
// RDMA engines with a network between them, levels of address translation and a page migration controller, as conduits.
#include "gpu/migration/page_migration_controller.h"
#include "gpu/network/networks.h"
#include "gpu/rdma/rdma_engine.h"
#include "memory/transaction_conduit.h"
#include "memory/vm/tlb.h"

namespace conduit_test {

using namespace contraflow;
using contraflow::testing::conduit_contract;
using contraflow::testing::conduit_independence;
using contraflow::testing::conduit_instance;
using gpu::network_kind;
using gpu::of_links;
using net::topology;

// ---- two GPUs that write to each other's memory

class rdma_pair final : public memory::testing::transaction_conduit, memory::address_to_port_if {
public:
    rdma_pair(network_kind how, unsigned queue)
        : net_(gpu::testing::make_network(gpu::testing::tiny_network(how), sim, statistics_, gpus)) {
        for (unsigned g = 0; g < gpus; ++g) {
            std::string name = net_->port(g).name();  // the holder of a packet has a name that begins with this
            std::replace(name.begin(), name.end(), '.', '_');
            nodes_.push_back(std::make_unique<node>(name.c_str(), *this, g, queue));
        }
        for (const auto& n : nodes_) {
            add_initiator(n->engine.to_l1(0));
            add_target(n->engine.to_l2(0));
        }
        for (unsigned g = 0; g < gpus; ++g) add_stream(g, 1 - g);
    }

private:
    static constexpr unsigned gpus = 2;
    struct node final : sc_core::sc_module {
        node(const sc_core::sc_module_name& name, rdma_pair& p, unsigned g, unsigned queue)
            : sc_module(name),
              engine("rdma", p.shared_, {g, {}, {queue, {4}}}, p, *p.net_) {}
        gpu::rdma_engine engine;
    };
    std::uint64_t address(unsigned, unsigned to, std::uint64_t number) const override {
        return (std::uint64_t{to} << 20) + number % 1024 * 128;
    }
    unsigned find(std::uint64_t address) const override { return static_cast<unsigned>(address >> 20); }
    std::uint64_t span(std::uint64_t) const override { return 1; }
    void reset_tested() override {
        for (const auto& n : nodes_) n->engine.control(core::control_verb::reset);
        net_->control(core::control_verb::reset);
    }
    void report_tested(std::vector<core::wait_edge>& edges) const override {
        for (const auto& n : nodes_) n->engine.report_waits(edges);
        net_->report_waits(edges);
    }

    std::unique_ptr<net::network_if> net_;
    std::vector<std::unique_ptr<node>> nodes_;
};

conduit_instance engines(network_kind how, unsigned queue) {
    return {fmt::format("{}_queue{}", gpu::testing::name_of(how), queue),
            [how, queue] { return std::make_unique<rdma_pair>(how, queue); }};
}
const auto rdma_instances =
    ::testing::Values(engines(of_links(topology::fully_connected), 0), engines(of_links(topology::fully_connected), 2),
                      engines(of_links(topology::central_switch), 0), engines(of_links(topology::central_switch), 2),
                      engines(network_kind::pcie, 0), engines(network_kind::pcie, 2));
INSTANTIATE_TEST_SUITE_P(rdma, conduit_contract, rdma_instances, contraflow::testing::name_of);
INSTANTIATE_TEST_SUITE_P(rdma, conduit_independence, rdma_instances, contraflow::testing::name_of);

// ---- three clients of a server that passes each request to the test

// A request is answered a nanosecond after it arrives.
template <class Request> class served : public contraflow::testing::conduit {
public:
    unsigned streams() const override { return clients; }
    bool offer(unsigned i, std::uint64_t number) override { return ends_[i].offer(number); }
    void reset() override {
        dropped_ += held();
        reset_tested();
        arrived_ = returned_ = 0;
        for (end& e : ends_) e.refused = false;
    }
    std::uint64_t in() const override { return in_; }
    std::uint64_t out() const override { return out_; }
    // Requests that arrived and wait for their answers no longer count as held.
    std::uint64_t held() const override { return server().taken() - server().answered() - (arrived_ - returned_); }
    std::uint64_t dropped() const override { return dropped_; }
    std::string sender(unsigned i) const override { return "client" + std::to_string(i); }

protected:
    static constexpr unsigned clients = 3;
    virtual const core::request_server<Request>& server() const = 0;
    virtual void fill(Request& r, unsigned stream, std::uint64_t number) const = 0;
    virtual void reset_tested() = 0;

    void connect(core::request_server<Request>& to) {
        for (unsigned i = 0; i < clients; ++i) ends_.emplace_back(*this, i, to);
    }
    void arrived(unsigned stream, std::uint64_t number) {
        ++out_;
        ++arrived_;
        user->arrived(stream, number);
    }

    observe::statistics statistics_;
    memory::payload_pool payloads_;
    const memory::resources shared_{sim.events(), statistics_, payloads_};

private:
    struct end final : core::channel_sender_if<Request*>, core::channel_receiver_if<core::answer_to<Request>> {
        end(served& o, unsigned n, core::request_server<Request>& to)
            : owner(o),
              number(n),
              requests(to.connect({*this, *this, n, "client" + std::to_string(n)})) {}
        bool offer(std::uint64_t n) {
            if (!refused) owner.fill(asked.emplace_back(), number, n);
            refused = !requests.try_push(&asked.back());
            if (!refused) ++owner.in_;
            return !refused;
        }
        void channel_ready(unsigned) override { owner.user->may_offer(number); }
        bool can_take(unsigned, const core::answer_to<Request>&) override { return true; }
        void take(unsigned, core::answer_to<Request>) override { ++owner.returned_; }
        served& owner;
        unsigned number;
        core::channel<Request*>& requests;
        std::deque<Request> asked;
        bool refused = false;
    };

    std::deque<end> ends_;
    std::uint64_t in_ = 0, out_ = 0, dropped_ = 0, arrived_ = 0, returned_ = 0;
};

// ---- levels of address translation: every request is for a page of its own, so it goes to the level below

class translation_path : public served<memory::translation_request>,
                         core::channel_receiver_if<memory::translation_request*> {
public:
    void resume(unsigned) override {
        while (below_.admit_next()) {}
    }
    std::string receiver(unsigned) const override { return "below"; }

protected:
    memory::translation_server below_{sim.events(), "below", *this};
    core::cancellable_calls<translation_path> calls_{sim.events(), *this};
    void reset_below() {
        below_.reset();
        answers_.clear();
        calls_.cancel();
    }

private:
    static constexpr unsigned bits = memory::page_bits_4k;
    void fill(memory::translation_request& r, unsigned stream, std::uint64_t number) const override {
        r.address = (number * clients + stream) << bits;
    }
    static unsigned stream_of(const memory::translation_request& r) {
        return static_cast<unsigned>((r.address >> bits) % clients);
    }
    bool can_take(unsigned, memory::translation_request* const& r) override { return user->may_take(stream_of(*r)); }
    void take(unsigned, memory::translation_request* r) override {
        answers_.push_back(r);
        calls_.after<&translation_path::answer>(core::sim_time::from_ns(1));
        arrived(stream_of(*r), (r->address >> bits) / clients);
    }
    void answer() {
        memory::translation_request& r = *answers_.front();
        answers_.pop_front();
        r.status = memory::translation_status::translated;
        r.page = {r.address, r.address, 0, bits, memory::access_rights::read_write};
        memory::translation_server::answer(r);
    }

    std::deque<memory::translation_request*> answers_;
};

class through_tlb final : public translation_path {
public:
    explicit through_tlb(unsigned size) : tested_("tested", shared_, of(size), below_) {
        connect(tested_.levels_above());
    }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        server().report_waits(edges);
        tested_.report_waits(edges);
    }

private:
    static memory::tlb_spec of(unsigned size) {
        memory::tlb_spec s;
        s.mshrs = s.queue = s.mshr_targets = size;
        return s;
    }
    const memory::translation_server& server() const override {
        return const_cast<memory::tlb&>(tested_).levels_above();
    }
    void reset_tested() override {
        tested_.control(core::control_verb::reset);
        reset_below();
    }
    memory::tlb tested_;
};

// The misses of a unit, which have no queue.
class unit_misses final : public translation_path {
public:
    unit_misses() : tested_("tested", shared_, small(), below_) { connect(tested_.unit_side()); }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        server().report_waits(edges);
        tested_.report_waits(edges);
    }

private:
    static memory::tlb_spec small() {
        memory::tlb_spec s;
        s.mshrs = 2;
        return s;
    }
    const memory::translation_server& server() const override { return const_cast<memory::tlb&>(tested_).unit_side(); }
    void reset_tested() override {
        tested_.control(core::control_verb::reset);
        reset_below();
    }
    memory::tlb tested_;
};

template <class Conduit, class... Arguments> conduit_instance instance(std::string name, Arguments... a) {
    return {std::move(name), [a...] { return std::make_unique<Conduit>(a...); }};
}
INSTANTIATE_TEST_SUITE_P(translation, conduit_contract,
                         ::testing::Values(instance<through_tlb>("tlb_1", 1u), instance<through_tlb>("tlb_4", 4u),
                                           instance<unit_misses>("unit")),
                         contraflow::testing::name_of);

// ---- the controller pulls pages of one line; they arrive at the memory that is read

class pulled_pages final : public served<gpu::page_pull>, memory::response_owner_if {
public:
    explicit pulled_pages(unsigned queue)
        : tested_(shared_, "tested", of(queue)),
          reader_("reader", shared_, tested_),
          memory_("memory", shared_, *this) {
        reader_.port.bind(memory_.port);
        tested_.connect(reader_.port);
        connect(tested_.pulls());
    }
    void resume(unsigned i) override {
        const memory::memory_extension* const held = memory_.port.held();
        if (held != nullptr && stream_of(*held) == i && user->may_take(i)) take(memory_.port.take_request());
    }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        server().report_waits(edges);
        tested_.report_waits(edges);
    }
    std::string receiver(unsigned) const override { return memory_.name(); }

private:
    static constexpr std::uint64_t line = 128, own = std::uint64_t{1} << 40;
    struct place_of_port final : sc_core::sc_module {
        place_of_port(const sc_core::sc_module_name& name, const memory::resources& shared,
                      memory::request_owner_if& owner)
            : sc_module(name),
              port("port", shared, owner) {}
        memory::request_port port;
    };
    struct far_memory final : sc_core::sc_module {
        far_memory(const sc_core::sc_module_name& name, const memory::resources& shared,
                   memory::response_owner_if& owner)
            : sc_module(name),
              port("port", shared, owner) {}
        memory::response_port port;
    };
    static gpu::page_migration_controller::spec of(unsigned queue) {
        gpu::page_migration_controller::spec s;
        s.queue = queue;
        s.pages = s.outstanding = 1;
        return s;
    }
    const core::request_server<gpu::page_pull>& server() const override {
        return const_cast<gpu::page_migration_controller&>(tested_).pulls();
    }
    void fill(gpu::page_pull& p, unsigned stream, std::uint64_t number) const override {
        p.from = (number * clients + stream) * line;
        p.to = own;
        p.bytes = line;
    }
    static unsigned stream_of(const memory::memory_extension& e) {
        return static_cast<unsigned>(e.carrier().get_address() / line % clients);
    }
    bool request_arrived(unsigned, memory::memory_extension& e) override {
        if (e.carrier().is_read() && !user->may_take(stream_of(e))) return false;
        take(e);
        return true;
    }
    void take(memory::memory_extension& e) {
        answers_.push_back(&e);
        calls_.after<&pulled_pages::answer>(core::sim_time::from_ns(1));
        if (e.carrier().is_read()) arrived(stream_of(e), e.carrier().get_address() / line / clients);
    }
    void answer() {
        memory::memory_extension& e = *answers_.front();
        answers_.pop_front();
        e.carrier().set_response_status(tlm::TLM_OK_RESPONSE);
        memory_.port.respond(e);
    }
    void response_port_ready(unsigned) override {}
    void blocking_access(unsigned, tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    unsigned debug_access(unsigned, tlm::tlm_generic_payload&) override { return 0; }
    void reset_tested() override {
        reader_.port.reset();
        tested_.control(core::control_verb::reset);
        memory_.port.reset();
        answers_.clear();
        calls_.cancel();
    }

    gpu::page_migration_controller tested_;
    place_of_port reader_;
    far_memory memory_;
    std::deque<memory::memory_extension*> answers_;
    core::cancellable_calls<pulled_pages> calls_{sim.events(), *this};
};

INSTANTIATE_TEST_SUITE_P(page_pull, conduit_contract,
                         ::testing::Values(instance<pulled_pages>("queue_1", 1u),
                                           instance<pulled_pages>("queue_4", 4u)),
                         contraflow::testing::name_of);

}  // namespace conduit_test
