// SPDX-License-Identifier: Apache-2.0
// The program `gpu_shmem`.
#pragma once

#include "face/platform.h"
#include "gpu_shmem/experiment/experiment.h"

namespace contraflow::gpu_shmem {

class gpu_shmem_platform final : public face::platform<experiment> {
public:
    std::string_view name() const override { return "gpu_shmem"; }
    std::string_view summary() const override {
        return "kernels that put into the memory of other nodes' GPUs themselves, against the ways by the host";
    }
    void prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) override;
    nlohmann::ordered_json results_form(const config::loaded<experiment>& loaded) const override;
    int run(const config::loaded<experiment>& loaded, face::run_context& context) override;

private:
    // Of a file.
    shmem::triangular_solve::triangle lower_;
    shmem::bfs::shared_graph graph_;
};

}  // namespace contraflow::gpu_shmem
