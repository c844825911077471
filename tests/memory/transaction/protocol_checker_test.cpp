// SPDX-License-Identifier: Apache-2.0
// The checker detects every rule broken on purpose, names it once, and is silent about allowed behaviour.
#include <functional>
#include <set>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "memory/bench.h"

using namespace contraflow;
using namespace contraflow::memory;
using memory::testing::bench;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace {

using call = std::function<tlm_sync_enum(tlm::tlm_generic_payload&, tlm_phase&, sc_core::sc_time&)>;

// Both ends of a socket, played by the test.
struct stage_play : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<stage_play> from{"from"};
    tlm_utils::simple_target_socket<stage_play> to{"to"};
    call on_forward = [](auto&, auto&, auto&) { return tlm::TLM_ACCEPTED; };
    call on_backward = [](auto&, auto&, auto&) { return tlm::TLM_ACCEPTED; };
    std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> on_block = [](auto& t, auto&) {
        t.set_response_status(tlm::TLM_OK_RESPONSE);
    };

    explicit stage_play(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
        from.register_nb_transport_bw(this, &stage_play::backward);
        to.register_nb_transport_fw(this, &stage_play::forward);
        to.register_b_transport(this, &stage_play::block);
    }
    tlm_sync_enum forward(tlm::tlm_generic_payload& t, tlm_phase& p, sc_core::sc_time& d) {
        return on_forward(t, p, d);
    }
    tlm_sync_enum backward(tlm::tlm_generic_payload& t, tlm_phase& p, sc_core::sc_time& d) {
        return on_backward(t, p, d);
    }
    void block(tlm::tlm_generic_payload& t, sc_core::sc_time& d) { on_block(t, d); }
};

struct protocol : ::testing::Test {
    protocol() {
        b.connect(play.from, play.to);
        b.sim.events().after(
            {}, [](void*, std::uint64_t) {}, nullptr);
        b.sim.run();
        for (int i = 0; i < 4; ++i) {
            all.push_back(&b.payloads.take());
            all.back()->write(0x1000u * static_cast<unsigned>(i + 1), 8);
        }
    }
    ~protocol() override {
        for (payload* p : all) p->release();
    }
    tlm_sync_enum fw(payload& p, tlm_phase phase, double ns = 0) {
        sc_core::sc_time delay(ns, sc_core::SC_NS);
        return play.from->nb_transport_fw(p, phase, delay);
    }
    tlm_sync_enum bw(payload& p, tlm_phase phase, double ns = 0) {
        sc_core::sc_time delay(ns, sc_core::SC_NS);
        return play.to->nb_transport_bw(p, phase, delay);
    }
    void answer(payload& p) { p.set_response_status(tlm::TLM_OK_RESPONSE); }
    void whole(payload& p) {
        fw(p, tlm::BEGIN_REQ);
        bw(p, tlm::END_REQ);
        answer(p);
        bw(p, tlm::BEGIN_RESP);
        fw(p, tlm::END_RESP);
    }
    // Exactly these violations, once each.
    void expect(std::multiset<protocol_rule> wanted) {
        std::multiset<protocol_rule> seen;
        for (const auto& v : b.checkers[0]->violations()) {
            seen.insert(v.rule);
            EXPECT_NE(v.text.find(rule_text(v.rule)), std::string::npos);
            EXPECT_NE(v.text.find(fmt::format("{:#x}", v.address)), std::string::npos);
        }
        EXPECT_EQ(seen, wanted);
    }

    bench b;
    stage_play play{"play"};
    std::vector<payload*> all;
};

TEST_F(protocol, four_phases_in_order_are_fine) {
    whole(*all[0]);
    whole(*all[1]);
    whole(*all[2]);
    expect({});
    EXPECT_EQ(b.checkers[0]->under_way(), 0u);
    EXPECT_EQ(b.checkers[0]->seen(), 3u);
}

TEST_F(protocol, short_ways_through_the_phases_are_fine) {
    play.on_forward = [](auto&, tlm_phase& p, auto&) {
        p = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    play.on_backward = [](auto&, auto&, auto&) { return tlm::TLM_COMPLETED; };
    fw(*all[0], tlm::BEGIN_REQ);
    answer(*all[0]);
    bw(*all[0], tlm::BEGIN_RESP);
    play.on_forward = [](auto& t, auto&, auto&) {
        t.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
    fw(*all[1], tlm::BEGIN_REQ);
    play.on_forward = [](auto& t, tlm_phase& p, auto&) {
        t.set_response_status(tlm::TLM_OK_RESPONSE);
        p = tlm::BEGIN_RESP;
        return tlm::TLM_UPDATED;
    };
    fw(*all[2], tlm::BEGIN_REQ);
    play.on_forward = [](auto&, auto&, auto&) { return tlm::TLM_COMPLETED; };
    fw(*all[2], tlm::END_RESP);
    expect({});
    EXPECT_EQ(b.checkers[0]->under_way(), 0u);
}

TEST_F(protocol, a_second_request_before_the_first_has_ended) {
    fw(*all[0], tlm::BEGIN_REQ);
    fw(*all[1], tlm::BEGIN_REQ);
    fw(*all[2], tlm::BEGIN_REQ);
    expect({protocol_rule::request_exclusion, protocol_rule::request_exclusion});
}

TEST_F(protocol, a_second_response_before_the_first_has_ended) {
    for (int i = 0; i < 2; ++i) {
        fw(*all[static_cast<std::size_t>(i)], tlm::BEGIN_REQ);
        bw(*all[static_cast<std::size_t>(i)], tlm::END_REQ);
        answer(*all[static_cast<std::size_t>(i)]);
        bw(*all[static_cast<std::size_t>(i)], tlm::BEGIN_RESP);
    }
    expect({protocol_rule::response_exclusion});
}

TEST_F(protocol, phases_out_of_order_are_named_once_a_transaction) {
    fw(*all[0], tlm::END_RESP);
    fw(*all[0], tlm::END_RESP);
    bw(*all[1], tlm::END_REQ);
    answer(*all[2]);
    bw(*all[2], tlm::BEGIN_RESP);
    expect({protocol_rule::phase_order, protocol_rule::phase_order, protocol_rule::phase_order});
}

TEST_F(protocol, a_transaction_begun_twice) {
    fw(*all[0], tlm::BEGIN_REQ);
    bw(*all[0], tlm::END_REQ);
    fw(*all[0], tlm::BEGIN_REQ);
    expect({protocol_rule::phase_order});
}

TEST_F(protocol, phases_on_the_wrong_path) {
    fw(*all[0], tlm::BEGIN_RESP);
    bw(*all[1], tlm::BEGIN_REQ);
    expect({protocol_rule::phase_path, protocol_rule::phase_path});
}

TEST_F(protocol, a_return_that_does_not_fit) {
    play.on_forward = [](auto&, tlm_phase& p, auto&) {
        p = tlm::END_RESP;
        return tlm::TLM_UPDATED;
    };
    fw(*all[0], tlm::BEGIN_REQ);
    play.on_backward = [](auto&, auto&, auto&) { return tlm::TLM_UPDATED; };
    bw(*all[0], tlm::END_REQ);  // the same rule, the same transaction: once
    b.checkers[0]->reset();
    fw(*all[1], tlm::BEGIN_REQ);
    expect({protocol_rule::return_value, protocol_rule::return_value});
}

TEST_F(protocol, accepted_means_unchanged) {
    play.on_forward = [](auto&, auto&, sc_core::sc_time& d) {
        d += sc_core::sc_time(1, sc_core::SC_NS);
        return tlm::TLM_ACCEPTED;
    };
    fw(*all[0], tlm::BEGIN_REQ);
    play.on_backward = [](auto&, tlm_phase& p, auto&) {
        p = tlm::END_RESP;
        return tlm::TLM_ACCEPTED;
    };
    bw(*all[0], tlm::END_REQ);
    b.checkers[0]->reset();
    all[1]->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    play.on_forward = [](auto&, auto&, auto&) { return tlm::TLM_ACCEPTED; };
    fw(*all[1], tlm::BEGIN_REQ);
    bw(*all[1], tlm::END_REQ);
    expect({protocol_rule::accepted_unchanged, protocol_rule::accepted_unchanged});
}

TEST_F(protocol, a_call_back_from_within_a_call_forward_and_the_other_way_round) {
    play.on_forward = [&](auto& t, auto&, auto&) {
        tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay;
        play.to->nb_transport_bw(t, phase, delay);
        return tlm::TLM_ACCEPTED;
    };
    fw(*all[0], tlm::BEGIN_REQ);
    play.on_forward = [](auto&, auto&, auto&) { return tlm::TLM_ACCEPTED; };
    answer(*all[0]);
    play.on_backward = [&](auto&, auto&, auto&) {
        fw(*all[1], tlm::BEGIN_REQ);
        return tlm::TLM_COMPLETED;
    };
    bw(*all[0], tlm::BEGIN_RESP);
    expect({protocol_rule::direction_nesting, protocol_rule::direction_nesting});
}

TEST_F(protocol, time_that_goes_back) {
    fw(*all[0], tlm::BEGIN_REQ, 10);
    bw(*all[0], tlm::END_REQ, 5);
    play.on_forward = [](auto&, tlm_phase& p, sc_core::sc_time& d) {
        p = tlm::END_REQ;
        d = sc_core::SC_ZERO_TIME;
        return tlm::TLM_UPDATED;
    };
    fw(*all[1], tlm::BEGIN_REQ, 3);
    expect({protocol_rule::time_backwards, protocol_rule::time_backwards});
}

TEST_F(protocol, attributes_without_sense) {
    all[0]->set_data_length(0);
    fw(*all[0], tlm::BEGIN_REQ);
    b.checkers[0]->reset();
    all[1]->set_data_ptr(nullptr);
    fw(*all[1], tlm::BEGIN_REQ);
    b.checkers[0]->reset();
    all[2]->set_streaming_width(0);
    fw(*all[2], tlm::BEGIN_REQ);
    b.checkers[0]->reset();
    all[3]->use_enables();
    all[3]->set_byte_enable_length(0);
    fw(*all[3], tlm::BEGIN_REQ);
    expect({protocol_rule::attributes_invalid, protocol_rule::attributes_invalid, protocol_rule::attributes_invalid,
            protocol_rule::attributes_invalid});
}

TEST_F(protocol, a_transaction_used_again_as_it_was) {
    answer(*all[0]);
    fw(*all[0], tlm::BEGIN_REQ);
    b.checkers[0]->reset();
    all[1]->set_dmi_allowed(true);
    fw(*all[1], tlm::BEGIN_REQ);
    expect({protocol_rule::attributes_initial, protocol_rule::attributes_initial});
}

TEST_F(protocol, attributes_and_written_data_changed_on_the_way) {
    fw(*all[0], tlm::BEGIN_REQ);
    all[0]->set_data_length(4);
    bw(*all[0], tlm::END_REQ);
    fw(*all[1], tlm::BEGIN_REQ);
    all[1]->bytes()[3] ^= 1;
    bw(*all[1], tlm::END_REQ);
    fw(*all[2], tlm::BEGIN_REQ);
    all[2]->set_address(0x77);  // allowed for an interconnect
    bw(*all[2], tlm::END_REQ);
    expect({protocol_rule::attributes_changed, protocol_rule::written_data_changed});
}

TEST_F(protocol, a_response_without_status_and_one_that_changes_it) {
    fw(*all[0], tlm::BEGIN_REQ);
    bw(*all[0], tlm::BEGIN_RESP);
    b.checkers[0]->reset();
    fw(*all[1], tlm::BEGIN_REQ);
    answer(*all[1]);
    bw(*all[1], tlm::BEGIN_RESP);
    all[1]->set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    fw(*all[1], tlm::END_RESP);
    expect({protocol_rule::response_missing, protocol_rule::response_missing});
}

TEST_F(protocol, a_transaction_nobody_manages) {
    tlm::tlm_generic_payload loose;
    loose.set_command(tlm::TLM_READ_COMMAND);
    loose.set_data_ptr(all[0]->bytes());
    loose.set_data_length(1);
    loose.set_streaming_width(1);
    tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    play.from->nb_transport_fw(loose, phase, delay);
    expect({protocol_rule::memory_management});
}

TEST_F(protocol, blocking_calls_are_checked_as_well) {
    sc_core::sc_time delay(5, sc_core::SC_NS);
    play.from->b_transport(*all[0], delay);
    expect({});
    play.on_block = [](auto& t, auto& d) {
        d = sc_core::SC_ZERO_TIME;
        t.set_data_length(1);
    };
    play.from->b_transport(*all[1], delay);
    expect({protocol_rule::time_backwards, protocol_rule::attributes_changed, protocol_rule::response_missing});
}

}  // namespace
