// SPDX-License-Identifier: Apache-2.0
// The program `torus_nic`.
#pragma once

#include "face/platform.h"
#include "torus_nic/experiment.h"

namespace contraflow::torus_nic {

class torus_nic_platform final : public face::platform<experiment> {
public:
    std::string_view name() const override { return "torus_nic"; }
    std::string_view summary() const override {
        return "a torus of network interfaces that read and write GPU memory, and the network alone";
    }
    void prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) override;
    int run(const config::loaded<experiment>& loaded, face::run_context& context) override;
};

}  // namespace contraflow::torus_nic
