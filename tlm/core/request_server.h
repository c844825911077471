// SPDX-License-Identifier: Apache-2.0
// Requests of several clients to one server: each client has a channel for requests and one for answers.
//
//   client 0 --try_push()--> [requests] --can_take()? take()--> server
//            <--take()------ [answers]  <--answer()------------
//   client 1 ...
//
// The channels have no queue (ready/valid): a request is taken when it is pushed, or its client is held back. Held-back
// clients get their turns in order of arrival, and a client that comes meanwhile waits behind them. A client owns a
// request until it is taken, and again when it is answered. Requests that a server drops at a reset are never answered,
// so its clients must be reset as well. Costs no simulated time and no callback.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/channel.h"
#include "core/linked_fifo.h"

namespace contraflow::core {

template <class Request> class request_connection;

// An answered request. It has its own type so that one component can be both a client and a server.
template <class Request> struct answer_to { Request* request; };

// A Request needs two members: `request_connection<Request>* via`, which the server uses while it has the request, and
// `Request* next`, for the queue of the component that has it.
template <class Request>
class request_server final : private channel_receiver_if<Request*>, private channel_sender_if<answer_to<Request>> {
public:
    // When the channel is ready, the client pushes the refused request again, and no other one before it.
    struct client {
        channel_sender_if<Request*>& requests;
        channel_receiver_if<answer_to<Request>>& answers;  // can_take() is not asked: there must always be room
        unsigned port;
        std::string name;  // for reports of waits
    };

    // `number`: the port by which the owner tells its servers apart.
    request_server(scheduler& events, std::string path, channel_receiver_if<Request*>& owner, unsigned number = 0)
        : events_(events),
          path_(std::move(path)),
          owner_(owner),
          number_(number) {}

    // Call before the first request. The client's ends must live as long as the server.
    channel<Request*>& connect(client c) {
        const auto port = static_cast<unsigned>(connections_.size());
        channel_receiver_if<Request*>& requests = *this;
        channel_sender_if<answer_to<Request>>& answers = *this;
        connections_.push_back(std::make_unique<request_connection<Request>>(
            *this, events_, std::move(c), typename channel<Request*>::receiver{requests, port, path_},
            typename channel<answer_to<Request>>::sender{answers, port, path_}));
        return connections_.back()->requests;
    }

    // Takes the request of the client that has been held back longest, if the owner can take it now.
    bool admit_next() {
        if (first_ == nullptr || !owner_.can_take(number_, first_->refused)) return false;
        turn_ = first_;
        first_ = first_->next;
        turn_->waiting = false;
        turn_->requests.resume();
        turn_ = nullptr;
        return true;
    }
    // Answers through the server that has the request.
    static void answer(Request& request) {
        request_connection<Request>& c = *request.via;
        ++c.server.answered_;
        c.answers.push({&request});
    }

    // The clients must be reset as well.
    void reset() {
        for (const auto& c : connections_) {
            c->requests.reset();
            c->waiting = false;
        }
        first_ = turn_ = nullptr;
        taken_ = answered_ = 0;
    }
    const std::string& path() const { return path_; }
    bool waiting() const { return first_ != nullptr; }             // whether a client is held back
    const std::uint64_t& held_back() const { return held_back_; }  // requests that were refused at first
    // Since the last reset.
    std::uint64_t taken() const { return taken_; }
    std::uint64_t answered() const { return answered_; }
    bool idle() const { return taken_ == answered_; }
    // Reports the waits of all clients. Clients that also report their own waits appear twice.
    void report_waits(std::vector<wait_edge>& edges) const {
        for (const auto& c : connections_) c->requests.report_waits(edges);
    }

private:
    bool can_take(unsigned port, Request* const& request) override {
        request_connection<Request>& c = *connections_[port];
        if (turn_ == &c && request == c.refused) return true;  // admit_next() has already asked
        if (first_ == nullptr && owner_.can_take(number_, request)) return true;
        c.refused = request;
        if (c.waiting) return false;
        ++held_back_;
        c.waiting = true;
        c.next = nullptr;
        (first_ == nullptr ? first_ : last_->next) = &c;
        last_ = &c;
        return false;
    }
    void take(unsigned port, Request* request) override {
        turn_ = nullptr;  // for one request
        ++taken_;
        request->via = connections_[port].get();
        owner_.take(number_, request);
    }
    void channel_ready(unsigned) override {}  // answers are never refused

    scheduler& events_;
    const std::string path_;
    channel_receiver_if<Request*>& owner_;
    const unsigned number_;
    std::vector<std::unique_ptr<request_connection<Request>>> connections_;
    request_connection<Request>* first_ = nullptr;  // held-back clients, the oldest first
    request_connection<Request>* last_ = nullptr;
    request_connection<Request>* turn_ = nullptr;  // the client whose request is being let in
    std::uint64_t taken_ = 0, answered_ = 0, held_back_ = 0;
};

// The channels between a client and a server.
template <class Request> class request_connection {
public:
    request_connection(request_server<Request>& to, scheduler& events, typename request_server<Request>::client c,
                       typename channel<Request*>::receiver takes, typename channel<answer_to<Request>>::sender gives)
        : server(to),
          requests(events, ready_valid(to.path(), "a request"), {c.requests, c.port, c.name}, std::move(takes)),
          answers(events, ready_valid(to.path(), "an answer"), std::move(gives), {c.answers, c.port, c.name}) {}

private:
    friend class request_server<Request>;
    static channel_spec ready_valid(const std::string& path, const char* item) {
        channel_spec s;
        s.path = path;
        s.depth = 0;
        s.item = item;
        return s;
    }

    request_server<Request>& server;
    channel<Request*> requests;
    channel<answer_to<Request>> answers;
    Request* refused = nullptr;  // while waiting
    bool waiting = false;
    request_connection* next = nullptr;
};

template <class Request> class request_client_if {
public:
    virtual void answered(Request& request) = 0;
    // A request that send() refused has now been taken; it was refused since the given time.
    virtual void accepted(Request&, sim_time) {}

protected:
    ~request_client_if() = default;
};

// A client with any number of requests to send. Those that the server does not take at once wait here, in order.
template <class Request>
class request_client final : private channel_sender_if<Request*>, private channel_receiver_if<answer_to<Request>> {
public:
    request_client(scheduler& events, request_client_if<Request>& owner, std::string name,
                   request_server<Request>& server)
        : events_(events),
          owner_(owner),
          server_(server),
          channel_(server.connect({*this, *this, 0, std::move(name)})) {}

    // If false, the request waits here until accepted().
    bool send(Request& request) {
        if (!waiting_.empty() || !channel_.ready(&request)) {
            if (waiting_.empty()) refused_since_ = events_.now();
            waiting_.push(request);
            return false;
        }
        channel_.push(&request);
        return true;
    }
    bool held_back() const { return !waiting_.empty(); }
    const std::string& server_name() const { return server_.path(); }
    void report_waits(std::vector<wait_edge>& edges) const { channel_.report_waits(edges); }
    // The server must be reset as well.
    void reset() { waiting_.clear(); }

private:
    void channel_ready(unsigned) override {
        do {
            Request& first = waiting_.pop();
            const sim_time since = std::exchange(refused_since_, events_.now());
            channel_.push(&first);
            owner_.accepted(first, since);
        } while (!waiting_.empty() && channel_.ready(&waiting_.front()));
    }
    bool can_take(unsigned, const answer_to<Request>&) override { return true; }
    void take(unsigned, answer_to<Request> answer) override { owner_.answered(*answer.request); }

    scheduler& events_;
    request_client_if<Request>& owner_;
    request_server<Request>& server_;
    channel<Request*>& channel_;
    linked_fifo<Request> waiting_;
    sim_time refused_since_{};  // for the first one
};

}  // namespace contraflow::core
