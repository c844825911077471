#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# one_node_slurm.sh start|stop WORK: a Slurm cluster of this machine alone, with everything it writes in WORK.
# After the start, SLURM_CONF=WORK/slurm.conf makes sbatch and its kin talk to it.
set -eu
verb=$1
work=$2

wait_for() { # wait_for SECONDS COMMAND...
    tries=$(($1 * 10))
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || { echo "one_node_slurm: '$*' does not succeed"; tail -n 5 "$work"/*.log; return 1; }
        sleep 0.1
    done
}

ended() { ! kill -0 "$1" 2>/dev/null; }

stop() {
    for daemon in slurmd slurmctld munged; do
        [ -s "$work/$daemon.pid" ] || continue
        pid=$(cat "$work/$daemon.pid")
        kill "$pid" 2>/dev/null || true
        wait_for 10 ended "$pid" || kill -9 "$pid" || true
    done
}

start() {
    mkdir -p "$work/state" "$work/spool"
    chmod 755 "$work"
    # Ports that other clusters on this machine do not have: by the number of this process.
    port=$((20000 + $$ % 20000))
    cat >"$work/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=100000,sched_interval=1,batch_sched_delay=0
MaxArraySize=5
KillWait=5
ReturnToService=2
NodeName=$(hostname) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    dd if=/dev/urandom of="$work/munge.key" bs=128 count=1 2>/dev/null
    chmod 600 "$work/munge.key"
    munged --force --socket="$work/munge.socket" --key-file="$work/munge.key" --pid-file="$work/munged.pid" \
        --log-file="$work/munged.log" --seed-file="$work/munged.seed"
    export SLURM_CONF="$work/slurm.conf"
    slurmctld -f "$work/slurm.conf"
    slurmd -f "$work/slurm.conf"
    wait_for 300 sh -c 'sinfo --noheader --format=%t | grep -qx idle'
}

"$verb"
