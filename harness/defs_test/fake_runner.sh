#!/bin/bash
# Stands for the runner of fault_test: checks what it was given instead of running a plan.
set -euo pipefail

want=(
  --plan=harness/defs_test/plan.yaml
  --bin=server=harness/defs_test/program
  --bin=script=harness/defs_test/program.sh
  --set=plain=3
  "--set=tricky=it's \$HOME \$(pwd) \"a  b\""
  --expect=FAIL
  --expect_violated=pool_floor,recovery
  --seed=1
  --seed=18446744073709551615
)
fail() {
  echo "FAILED: $*"
  exit 1
}

(($# == ${#want[@]})) || fail "$# arguments, want ${#want[@]}: $*"
for i in "${!want[@]}"; do
  argument=${*:i+1:1}
  [[ $argument == "${want[i]}" ]] || fail "argument $i is <$argument>, want <${want[i]}>"
done
[[ -f harness/defs_test/plan.yaml ]] || fail "no plan in $PWD"
[[ -f harness/defs_test/extra.txt ]] || fail "no data"
[[ -f harness/defs_test/beside.txt ]] || fail "the program's own data are missing"
[[ $(harness/defs_test/program) == "I am the program" ]] || fail "the program does not run"
[[ -w ${TEST_UNDECLARED_OUTPUTS_DIR:-} ]] || fail "no place for the report"
# block-network: nothing but a loopback of its own.
[[ $(tail -n +3 /proc/net/dev | awk -F: '{ gsub(/ /, "", $1); print $1 }') == lo ]] || fail "there is a network"
