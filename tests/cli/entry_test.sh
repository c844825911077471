#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# entry_test.sh ROOT WORK: the output and exit codes of ./contraflow. Set-up runs against stand-ins for apt and dpkg.
set -u
root=$1
work=$2
rm -rf "$work"
mkdir -p "$work/bin"
cd "$work" || exit 1
failures=0

# expect NAME EXIT_CODE TEXT COMMAND...: the exit code, and a text that the output must contain
expect() {
    name=$1 wanted=$2 text=$3
    shift 3
    code=0
    "$@" >output 2>&1 </dev/null || code=$?
    if [ "$code" = "$wanted" ] && grep -qF -e "$text" output; then
        echo "ok: $name"
    else
        echo "FAILED: $name: exit code $code, expected $wanted and '$text'; the output:"
        cat output
        failures=$((failures + 1))
    fi
}
one_line() {
    [ "$(wc -l <output)" = 1 ] || { echo "FAILED: $name: more than one line"; cat output; failures=$((failures + 1)); }
}

contraflow=$root/contraflow
expect 'no verb is help' 0 './contraflow run --list' "$contraflow"
expect 'help names every verb' 0 './contraflow validate' "$contraflow" help
expect 'an unknown verb' 2 "no verb 'tset' (did you mean 'test'?)" "$contraflow" tset
one_line
expect 'nothing near' 2 "no verb 'zzzzzzzz';" "$contraflow" zzzzzzzz
expect 'an unknown platform' 2 "no platform 'pci_tree' (did you mean 'pcie_tree'?)" "$contraflow" run pci_tree
one_line
expect 'an unknown configuration' 2 "no configuration 'halo_2' for pcie_tree (did you mean 'halo_2d'?)" \
    "$contraflow" run pcie_tree halo_2
one_line
expect 'cases that are not there' 2 'nowhere.json: there is no such file' "$contraflow" run nic_replay nowhere.json
one_line
expect 'an unknown preset' 2 "no preset 'relase' (did you mean 'release'?)" "$contraflow" build relase
expect 'fuzz without seconds' 2 'a whole number of seconds' "$contraflow" fuzz
expect 'planted bugs of what' 2 "no planted bug has 'zzzzzzzz'" "$contraflow" mutate --list zzzzzzzz
one_line
expect 'the list names the platform' 0 'pcie_tree ' "$contraflow" run --list
expect 'the list names configurations' 0 '  halo_2d ' "$contraflow" run --list
expect 'the list of a platform names its configurations' 0 '  t2 ' "$contraflow" run --list pcie_tree
[ "$(grep -c '^[a-z]' output)" = 1 ] || { echo "FAILED: the list of a platform names others"; failures=$((failures + 1)); }
expect 'a list has whole sentences' 0 'on one and on four nodes; some minutes of a core' "$contraflow" run --list gpu_shmem
expect 'the list of no platform' 2 "did you mean 'pcie_tree'?" "$contraflow" run --list pci_tree
expect 'the list of sweeps' 0 'posted_data ' "$contraflow" sweep --list
expect 'a sweep of what' 2 'sweep wants a file' "$contraflow" sweep
expect 'an unknown sweep' 2 "no sweep 'posted_dat' (did you mean 'posted_data'?)" "$contraflow" sweep posted_dat
one_line
unnamed=$("$contraflow" run --list | awk 'NF < 3')
[ -z "$unnamed" ] || { echo "FAILED: without a line of comment: $unnamed"; failures=$((failures + 1)); }

# Ctrl-C before any program of ours runs. (A job in the background of a script ignores SIGINT unless told otherwise.)
mkdir interrupted
printf '#!/bin/sh\n: >started\nexec sleep 600\n' >interrupted/nproc
chmod +x interrupted/nproc
PATH=$work/interrupted:$PATH env --default-signal=INT setsid "$contraflow" run --list >output 2>&1 &
until [ -e started ]; do sleep 0.05; done
kill -s INT -- "-$!"
code=0
wait "$!" || code=$?
[ "$code" = 4 ] || { echo "FAILED: Ctrl-C in the entry ends with $code"; failures=$((failures + 1)); }

# The name of a shipped configuration works with or without .yaml, and from any folder.
expect 'a shipped name' 0 'communications' "$contraflow" run pcie_tree halo_2d --print-config
expect 'a shipped file name' 0 'communications' "$contraflow" run pcie_tree halo_2d.yaml --print-config
ln -s "$contraflow" link
expect 'through a link' 0 '0.' ./link run pcie_tree --version

# The output has the number of build steps; a configuration that looks for new files before each build would hide it.
if ninja -C "$root/build/release" -n 2>&1 | grep -q 'Re-checking globbed'; then
    echo "FAILED: ninja -n does not tell what there is to build: a GLOB with CONFIGURE_DEPENDS"
    failures=$((failures + 1))
fi

# Set-up. The stand-ins: $work/installed holds what dpkg-query finds; apt-get does what $work/apt says, one line a call.
cat >bin/dpkg-query <<'END'
#!/bin/sh
shift 3
for package; do ! grep -qx "$package" "$WORK/installed" || echo "$package installed"; done
END
cat >bin/id <<'END'
#!/bin/sh
cat "$WORK/id"
END
cat >bin/apt-get <<'END'
#!/bin/sh
echo "apt-get $*" >>"$WORK/calls"
answer=$(head -n 1 "$WORK/apt")
sed -i 1d "$WORK/apt"
case "$answer" in
ok) case "$*" in *install*) for word; do echo "$word"; done >>"$WORK/installed" ;; esac ;;
*) echo "$answer"; exit 100 ;;
esac
END
cat >bin/dpkg <<'END'
#!/bin/sh
echo "dpkg $*" >>"$WORK/calls"
END
printf '#!/bin/sh\nexit 1\n' >bin/sudo
printf '#!/bin/sh\n' >bin/sleep
chmod +x bin/*
export WORK="$work"
# The entry runs in a checkout of its own, which has nothing to build.
mkdir -p tree/platforms/pcie_tree
mkdir tree/scripts
cp "$contraflow" tree/
for script in set-up programs nearest; do cp "${contraflow%/*}/scripts/$script" tree/scripts/; done
touch tree/platforms/pcie_tree/main.cpp tree/platforms/pcie_tree/halo_2d.yaml
try() { PATH="$work/bin:$PATH" tree/contraflow run pcie_tree --version; }
# world ID PACKAGES ANSWERS...: the caller's user id, the installed packages, the answers of apt-get
world() {
    echo "$1" >id
    printf '%s\n' "$2" | tr ' ' '\n' >installed
    shift 2
    : >calls
    printf '%s\n' "$@" >apt
}
calls() { # calls NAME TEXT
    grep -qF -e "$2" calls || { echo "FAILED: $1: '$2' is not among:"; cat calls; failures=$((failures + 1)); }
}
all_but_cmake="g++ ninja-build pkg-config libsystemc-dev libyaml-cpp-dev libcli11-dev libfmt-dev nlohmann-json3-dev \
libhwloc-dev libunicorn-dev verilator zlib1g-dev ccache curl ca-certificates openssl \
gcc-riscv64-unknown-elf"

world 1000 "$all_but_cmake" ok
expect 'neither root nor sudo' 2 'apt-get install -y --no-install-recommends cmake' try
[ ! -s calls ] || { echo "FAILED: apt-get was called without rights"; failures=$((failures + 1)); }
# From here on the set-up succeeds, and the empty checkout cannot be configured.
world 0 "$all_but_cmake" ok ok ok
expect 'installs what lacks' 1 'installing 1 packages: cmake' try
calls 'only what lacks' '--no-install-recommends cmake'
world 0 "$all_but_cmake cmake" ok
expect 'nothing lacks' 1 'could not configure' try
[ ! -s calls ] || { echo "FAILED: apt-get was called though nothing lacks"; failures=$((failures + 1)); }
world 0 "$all_but_cmake" 'E: Could not get lock /var/lib/dpkg/lock-frontend' 'E: Unable to lock the list directory' ok ok ok
expect 'waits for another apt' 1 'waiting for it' try
grep -qx cmake installed || { echo "FAILED: not installed after the wait"; failures=$((failures + 1)); }
world 0 "$all_but_cmake" 'E: dpkg was interrupted' ok ok ok ok ok ok
expect 'an interrupted dpkg' 1 'once more' try
calls 'an interrupted dpkg' 'dpkg --configure -a'
grep -qx cmake installed || { echo "FAILED: not installed after dpkg --configure -a"; failures=$((failures + 1)); }
world 0 "$all_but_cmake" 'E: no network' 'E: no network' 'E: no network' 'E: no network' 'E: no network' 'E: no network'
expect 'no network' 2 'could not install them' try

# A whole checkout of stand-ins, in which every package is installed: scripts, CMake, ninja and the programs note that
# they were called, and wait for Ctrl-C where $work/waits says so.
mkdir -p whole tree/scripts/verify tree/tb/fifo tree/build/release/bin
touch tree/CMakePresets.json tree/tb/fifo/block.yaml
cat >whole/waiter <<'END'
#!/bin/sh
echo "${0##*/} $*" | tee -a "$WORK/calls"
[ ! -e "$WORK/waits" ] || { : >"$WORK/started"; exec /bin/sleep 600; }
END
cat >whole/cmake <<'END'
#!/bin/sh
echo "cmake $*" >>"$WORK/calls"
mkdir -p "build/$2"
printf 'CMAKE_HOME_DIRECTORY:INTERNAL=%s\nCONTRAFLOW_TESTS:BOOL=ON\n' "$PWD" >"build/$2/CMakeCache.txt"
touch "build/$2/build.ninja"
END
cat >whole/ninja <<'END'
#!/bin/sh
echo "ninja $*" >>"$WORK/calls"
case "$*" in *targets*) echo 'config_fuzz: phony' ;; esac
END
cat >whole/dpkg-query <<'END'
#!/bin/sh
shift 3
for package; do echo "$package installed"; done
END
printf '#!/bin/sh\n' >whole/ctest
cat >tree/scripts/fetch-npm <<'END'
#!/bin/sh
exit "$(cat "$WORK/network")"
END
cat >whole/program <<'END'
#!/bin/sh
echo "compiler cache: ${CCACHE_DIR:-the usual one}"
END
cp whole/program tree/build/release/bin/pcie_tree
cat >tree/scripts/verify/verify.py <<'END'
import os, time
open(os.environ["WORK"] + "/started", "w").close()
time.sleep(600)
END
cp whole/waiter whole/gcovr
for script in lint fuzz generate-docs; do cp whole/waiter tree/scripts/$script; done
chmod +x whole/* tree/build/release/bin/*
whole() { PATH="$work/whole:$PATH" tree/contraflow "$@"; }
echo 0 >network

# Ctrl-C in what a verb runs ends with 4 as well.
touch waits
for verb in 'verify fifo' 'lint' 'lint --quick' 'fuzz 60' 'coverage' 'doc'; do
    rm -f started
    # shellcheck disable=SC2086 # one word an argument
    PATH=$work/whole:$PATH env --default-signal=INT setsid tree/contraflow $verb >output 2>&1 &
    tries=12000
    until [ -e started ] || [ $tries = 0 ]; do tries=$((tries - 1)); sleep 0.05; done
    kill -s INT -- "-$!"
    code=0
    wait "$!" || code=$?
    [ "$code" = 4 ] || { echo "FAILED: Ctrl-C in '$verb' ends with $code"; cat output; failures=$((failures + 1)); }
done
rm waits

# Nothing of lint --quick needs a build.
: >calls
expect 'lint --quick' 0 'lint ' whole lint --quick
calls 'lint --quick' 'lint '
! grep -E '^(cmake|ninja) ' calls || { echo "FAILED: lint --quick builds"; failures=$((failures + 1)); }

# Without the network, pages do without charts; when it is back, the build has them.
rm -f tree/build/release/.configured tree/build/release/without_charts
echo 2 >network
expect 'no network, though everything is there' 0 'tables in place of charts' whole run pcie_tree --version
expect 'and again' 0 'compiler cache' whole run pcie_tree --version
! grep -q 'in place of charts' output || { echo "FAILED: it is tried at every call"; failures=$((failures + 1)); }
echo 0 >network
touch -d '2 hours ago' tree/build/release/without_charts
: >calls
expect 'the network is back' 0 'compiler cache: ' whole run pcie_tree --version
calls 'the network is back' 'cmake --preset release'
[ ! -e tree/build/release/without_charts ] || { echo "FAILED: charts are not there"; failures=$((failures + 1)); }
# A program that is built already starts at once: ninja says what there is to build, and nothing else is called.
: >calls
expect 'a second run' 0 'compiler cache: ' whole run pcie_tree --version
[ "$(cut -d ' ' -f 1 calls | sort -u)" = ninja ] || { echo "FAILED: a second run calls"; cat calls; failures=$((failures + 1)); }
# Tests are configured here, and what is installed is built without them.
: >calls
whole build >output 2>&1
grep -qE '^ninja .*-n installed$' calls || { echo "FAILED: build builds"; cat calls; failures=$((failures + 1)); }

# A user who may write neither at home nor here: what is built runs.
nobody=
[ "$(/usr/bin/id -u)" != 0 ] || nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
# Where others may not come, as below /root, the checkout moves to where they may.
# shellcheck disable=SC2086 # one word an argument
if [ -n "$nobody" ] && ! $nobody test -r "$work/tree/contraflow"; then
    moved=$(mktemp -d)
    trap 'rm -rf "$moved"' EXIT
    chmod 755 "$moved"
    cp -a "$work/." "$moved/"
    work=$moved
    cd "$work" || exit 1
fi
home=/nonexistent
as_nobody() {
    # shellcheck disable=SC2086 # one word an argument
    PATH="$work/whole:$PATH" $nobody env HOME=$home tree/contraflow "$@"
}
chmod -R a-w tree
expect 'a checkout that cannot be written' 0 'compiler cache: ' as_nobody run pcie_tree --version
rm -f tree/build/release/bin/pcie_tree
expect 'one in which it is not built' 2 'cannot be written, and pcie_tree is not built there' as_nobody run pcie_tree --version
one_line
for verb in bench build 'lint --quick'; do
    # shellcheck disable=SC2086 # one word an argument
    expect "$verb where nothing can be written" 2 ' cannot be written' as_nobody $verb
    one_line
done
chmod -R a+w tree
cp whole/program tree/build/release/bin/pcie_tree
expect 'a home that cannot be written' 0 "compiler cache: $work/tree/build/ccache" as_nobody run pcie_tree --version
mkdir -m 777 home
home=$work/home
expect 'one that can' 0 'compiler cache: the usual one' as_nobody run pcie_tree --version
if [ -n "$nobody" ]; then
    mkdir -m 777 home/.cache
    mkdir -m 755 home/.cache/ccache # as one that a run as root has left
    expect "somebody else's cache" 0 "compiler cache: $work/tree/build/ccache" as_nobody run pcie_tree --version
fi
# Git reads the checkout of another user.
cat >tree/scripts/lint <<'END'
#!/bin/sh
git -C "$(dirname "$0")/.." rev-parse --show-toplevel
END
git init -q tree
[ -z "$nobody" ] || chown -R 65533 tree
expect 'a checkout of another user' 0 "$work/tree" as_nobody lint --quick
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=cat
expect 'one for a caller with settings of Git' 0 "$work/tree" as_nobody lint --quick

[ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
