// SPDX-License-Identifier: Apache-2.0
// The rows of the validation table, and the experiments behind them: a row is a line of rows.cpp, an experiment a file
// of its own.
#pragma once

#include <vector>

#include "validate/table/row.h"

namespace contraflow::validate {

const std::vector<row>& rows();

measurement published_workgroup_runs(const run_environment&);
measurement workgroups_out_of_place(const run_environment&);
measurement interleaved_pages(const run_environment&);
measurement pages_out_of_turn(const run_environment&);
measurement unified_numbers(const run_environment&);
measurement remote_path_deviations(const run_environment&);
measurement remote_access_cycles(const run_environment&);
measurement network_part_of_remote_access(const run_environment&);
measurement remote_access_elsewhere(const run_environment&);
measurement order_of_a_move(const run_environment&);
measurement words_lost_by_moves(const run_environment&);
measurement steps_of_a_move(const run_environment&);
measurement page_over_whole(const run_environment&);
measurement ping_pong_defence(const run_environment&);
measurement moves_by_window(const run_environment&);
measurement execution_and_memory_models(const run_environment&);
measurement execution_models_and_moves(const run_environment&);

measurement dram_in_order(const run_environment&);
measurement dram_at_random(const run_environment&);

measurement reference_transfer(const run_environment&);
measurement table_1_factors(const run_environment&);
measurement table_2_times(const run_environment&);
measurement upstream_port_example(const run_environment&);
measurement downstream_port_example(const run_environment&);
measurement shared_ports_closed_form(const run_environment&);
measurement shared_ports_tlm(const run_environment&);
measurement downstream_conflict_closed_form(const run_environment&);
measurement downstream_conflict_tlm(const run_environment&);
measurement root_complex_closed_form(const run_environment&);
measurement root_complex_tlm(const run_environment&);
measurement halo_2d_orders(const run_environment&);
measurement halo_2d_orders_tlm(const run_environment&);
measurement halo_3d_spread(const run_environment&);
measurement halo_3d_median(const run_environment&);
measurement rings_of_fastest_order(const run_environment&);
measurement gain_over_fixed_order(const run_environment&);
measurement both_levels(const run_environment&);
measurement default_bandwidth(const run_environment&);
measurement bandwidth_by_payload(const run_environment&);

measurement both_saturated_dynamic(const run_environment&);
measurement both_saturated_guarded(const run_environment&);
measurement both_saturated_double(const run_environment&);
measurement one_saturated(const run_environment&);
measurement one_saturated_single_tags(const run_environment&);
measurement saturated_egress_lanes(const run_environment&);
measurement saturated_half_of_the_time(const run_environment&);
measurement local_data(const run_environment&);
measurement suite_means(const run_environment&);
measurement sample_times(const run_environment&);
measurement slowest_of_suite(const run_environment&);
measurement slowest_of_guarded_suite(const run_environment&);
measurement longer_switch_times(const run_environment&);
measurement shorter_switch_time(const run_environment&);
measurement molecular_dynamics_loss(const run_environment&);
measurement lanes_at_launch(const run_environment&);

measurement gpu_reads_by_the_core(const run_environment&);
measurement longer_window_gain(const run_environment&);
measurement windows_of_v2(const run_environment&);
measurement longest_window(const run_environment&);
measurement reads_of_v3(const run_environment&);
measurement link_use_of_reads(const run_environment&);
measurement time_of_a_long_read(const run_environment&);
measurement look_up_time(const run_environment&);
measurement look_up_shares(const run_environment&);
measurement look_up_slope(const run_environment&);
measurement loop_back_of_the_host(const run_environment&);
measurement loop_back_of_the_gpu(const run_environment&);
measurement loss_into_the_gpu(const run_environment&);
measurement small_messages_by_source(const run_environment&);
measurement plateau_of_gpu_sources(const run_environment&);
measurement half_round_trip_of_hosts(const run_environment&);
measurement half_round_trip_of_gpus(const run_environment&);
measurement half_round_trip_staged(const run_environment&);
measurement crossing_with_staging(const run_environment&);
measurement overhead_of_hosts(const run_environment&);
measurement overhead_of_gpus(const run_environment&);
measurement overhead_staged(const run_environment&);
measurement gain_of_v3(const run_environment&);
measurement speed_of_the_torus(const run_environment&);
measurement receive_in_hardware(const run_environment&);
measurement places_of_the_nic(const run_environment&);
measurement all_to_all_times(const run_environment&);
measurement ways_to_be_faster(const run_environment&);
measurement staging_by_a_host_nic(const run_environment&);

measurement put_by_the_cpu(const run_environment&);
measurement put_by_a_kernel(const run_environment&);
measurement put_by_helper_threads(const run_environment&);
measurement put_at_kernel_boundaries(const run_environment&);
measurement stores_of_an_entry(const run_environment&);
measurement latency_by_workgroups(const run_environment&);
measurement jacobi_gains_1k(const run_environment&);
measurement jacobi_gains_2k(const run_environment&);
measurement jacobi_gains_4k(const run_environment&);
measurement jacobi_with_overlap(const run_environment&);
measurement jacobi_weak_scaling(const run_environment&);
measurement jacobi_weak_scaling_2k(const run_environment&);
measurement triangular_gains(const run_environment&);
measurement triangular_gains_of_a_circuit(const run_environment&);
measurement uncached_halos(const run_environment&);
measurement steps_left_out(const run_environment&);

measurement time_of_a_put_in_rtl(const run_environment&);
measurement time_of_other_packets_in_rtl(const run_environment&);
measurement time_of_worked_cases_in_rtl(const run_environment&);
measurement time_of_random_packets_in_rtl(const run_environment&);

}  // namespace contraflow::validate
