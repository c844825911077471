// SPDX-License-Identifier: Apache-2.0
// The core of a NIC, as the hardware around it sees it: firmware on a processor, or a table of times. It does one task
// of the transmit side at a time, and passes get requests from the receive side to the transmit side. It may also look
// up buffers for the receive side.
//
//   transmit_engine --begin()--> core --translated(), write_request(), window_started()--> transmit_engine
//   receive side --take_message()--> core --take_get()--> transmit_engine
//   driver --set_buffer()--> core
//
// No call here is a core::channel: each stands for one write of a register, by the hardware or by the core's program.
// The queue of get requests and its room are registers of the core, and its program offers an answer until it is taken.
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
    translate,  // find where the first bytes of the source are
    request,    // v1: write read requests into a GPU's mailbox until none is left
    window      // v2: let the request generator continue by one window
};

// The bytes to translate: the rest of a message.
struct core_task {
    core_work work = core_work::translate;
    std::uint16_t process = 0;
    std::optional<memory_space> space{};  // none: not known yet, for the first bytes that a get request reads
    std::uint64_t address = 0;            // virtual
    std::uint32_t length = 0;             // bytes to the end of the message
    bool first = false;                   // no byte of the message has been translated yet
};

// Contiguous bytes. The address is on the bus, in a GPU's memory, or in its BAR1 if the NIC reads that memory there.
struct source_extent {
    memory_space space = memory_space::host;
    std::uint64_t address = 0;
    std::uint64_t length = 0;
};

// Read requests for contiguous lines of GPU memory. Their answers fill contiguous places of the answer window.
struct wanted_reads {
    std::uint64_t address = 0;  // in GPU memory
    std::uint32_t place = 0;    // in the answer window, in lines
    std::uint32_t count = 0;    // lines that can be requested now
};

class core_user_if {
public:
    // The task `translate` has ended. None: there is no such memory.
    virtual void translated(const std::optional<source_extent>& where) = 0;
    // The requests that the task `request` writes.
    virtual wanted_reads reads() const = 0;
    // The core writes a word to the mailbox. This ends the task; the user begins another if requests are left.
    virtual void write_request(std::uint64_t word) = 0;
    // The task `window` has ended.
    virtual void window_started() = 0;
    // Takes a get request and answers it. False: there is no room; core_if::may_get() tells when to try again.
    virtual bool take_get(const core_message& m) = 0;
    // The core has room for one more message.
    virtual void message_taken() = 0;

protected:
    ~core_user_if() = default;
};

class core_if : public core::waiter_if {
public:
    virtual void connect(core_user_if& user) = 0;
    // Begins a task; only one may be open. The user may be told of its end before begin() returns.
    virtual void begin(const core_task& task) = 0;
    // Drops a task `request` that has begun.
    virtual void cancel_request() = 0;
    // take_get(), which refused a request, may be called again.
    virtual void may_get() = 0;
    // Number of get requests that fit. take_message() may be called only if there is room.
    virtual std::uint32_t message_room() const = 0;
    virtual void take_message(const core_message& m) = 0;
    // Whether it also runs the receive side's look-ups. If so, the receive datapath sets its buffers and resets it.
    virtual bool receives() const = 0;
    virtual void set_buffer(unsigned index, const buffer_entry& b) = 0;
    virtual bool idle() const = 0;
    // Drops all work and all buffers.
    virtual void reset() = 0;

protected:
    ~core_if() = default;
};

// What a core is given when it is made. Everything that it refers to outlives the core.
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
