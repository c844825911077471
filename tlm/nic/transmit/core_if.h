// SPDX-License-Identifier: Apache-2.0
// The core of a NIC, as the hardware around it sees it: firmware on a processor, or a table with times. For the
// transmit side it does one thing at a time; it hands get requests on; it may be what looks up buffers for the receive
// side too.
//
//   transmit_engine --begin()--> core --translated(), write_request(), window_started()--> transmit_engine
//   receive side --take_message()--> core --take_get()--> transmit_engine
//   driver --set_buffer()--> core
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/scheduler.h"
#include "core/waiting.h"
#include "nic/receive/receive_datapath_if.h"
#include "nic/receive/receive_spec.h"
#include "nic/receive/table_memory.h"
#include "observe/statistics.h"

namespace contraflow::nic {

enum class core_work : std::uint8_t {
    translate,  // where the first bytes of the source lie
    request,    // v1: writes a read request into a GPU's mailbox, or as many as there are
    window      // v2: lets the generator go on for a window
};

// The bytes to translate: the rest of a message.
struct core_task {
    core_work work = core_work::translate;
    std::uint16_t process = 0;
    std::optional<memory_space> space{};  // none: not known, that of a get
    std::uint64_t address = 0;            // virtual
    std::uint32_t length = 0;             // bytes to the end of the message
    bool first = false;                   // nothing of the message has been translated
};

// Bytes side by side: at a bus address, in a GPU's memory, or in its BAR1 where that is read.
struct source_extent {
    memory_space space = memory_space::host;
    std::uint64_t address = 0;
    std::uint64_t length = 0;
};

// Requests for lines side by side, whose answers come to places side by side.
struct wanted_reads {
    std::uint64_t address = 0;  // in GPU memory
    std::uint32_t place = 0;    // in the answer window, in lines
    std::uint32_t count = 0;    // lines; those that can be written now
};

class core_user_if {
public:
    // Ends `translate`. None: there is no such memory.
    virtual void translated(const std::optional<source_extent>& where) = 0;
    // The operands of `request`. Writing one ends it, and begins it anew if there are more.
    virtual wanted_reads reads() const = 0;
    virtual void write_request(std::uint64_t word) = 0;
    // Ends `window`.
    virtual void window_started() = 0;
    // A get request, to be answered. False: not now; core_if::may_get() tells when.
    virtual bool take_get(const core_message& m) = 0;
    // The core has room for a message more.
    virtual void message_taken() = 0;

protected:
    ~core_user_if() = default;
};

class core_if : public core::waiter_if {
public:
    virtual void connect(core_user_if& user) = 0;
    // One at a time; its end may come from within.
    virtual void begin(const core_task& task) = 0;
    // A `request` is not wanted any more.
    virtual void cancel_request() = 0;
    virtual void may_get() = 0;
    // The room for get requests, which a caller checks before it hands one over.
    virtual std::uint32_t message_room() const = 0;
    virtual void take_message(const core_message& m) = 0;
    // Whether it looks up buffers for the receive side: then it hears of them and of resets from there.
    virtual bool receives() const = 0;
    virtual void set_buffer(unsigned index, const buffer_entry& b) = 0;
    virtual bool idle() const = 0;
    // Drops all work and all buffers.
    virtual void reset() = 0;

protected:
    ~core_if() = default;
};

// The surroundings of a core. Everything that it refers to outlives the core.
struct core_place {
    core::scheduler& events;
    std::string path;  // instance
    const receive_spec& spec;
    table_memory& tables;
    bool reads_aperture = false;  // GPU memory is read through BAR1
    observe::statistics& statistics;
};
using core_factory = std::function<std::shared_ptr<core_if>(const core_place& place)>;

}  // namespace contraflow::nic
