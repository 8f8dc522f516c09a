#!/bin/bash
# A plan, the outage in its quick form, and `squall agent -- redis-server`, by a user without any privilege: no root, no
# capabilities. As root the test becomes nobody; otherwise it stays who it is.
set -euo pipefail

work=$(mktemp -d /tmp/squall-unprivileged.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 0755 "$work"
for program in harness/cli/squall targets/guardian/squall-guardian targets/relay/squall-relay targets/load/squall-load \
  targets/redis/redis-server targets/skype/skype_support targets/skype/skype_client targets/skype/skype_users; do
  cp -L "$program" "$work/"
done
cp -L examples/redis/redis.yaml examples/skype_2010/outage.yaml "$work/"
mkdir -m 0777 "$work/out"
drop=()
if ((EUID == 0)); then
  drop=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs)
fi
as_nobody() { (cd "$work/out" && env -i PATH=/usr/bin:/bin TMPDIR="$work/out" "${drop[@]}" "$@"); }
fail() { echo "FAILED: $*" >&2 && exit 1; }

caps=$(as_nobody grep CapEff /proc/self/status)
((EUID != 0)) || [[ $caps == *0000000000000000 ]] || fail "still has capabilities: $caps"

case $1 in
  redis)
    as_nobody "$work/squall" run "$work/redis.yaml" --bin server="$work/redis-server" --seed 1 --report_dir "$work/out/r" ||
      fail "the redis plan ended with $?"
    ;;
  outage)
    code=0
    as_nobody "$work/squall" run "$work/outage.yaml" --bin support="$work/skype_support" --bin client="$work/skype_client" \
      --bin users="$work/skype_users" --set supernodes=24 --set users=1200 --seed 1 --report_dir "$work/out/o" || code=$?
    ((code == 1)) || fail "the outage ended with $code, not 1"
    ;;
  agent)
    as_nobody "$work/squall" agent --name=n --role=cache --socket="$work/out/s/a.sock" --directory="$work/out" -- \
      "$work/redis-server" --port 0 --unixsocket "$work/out/redis.sock" --save "" >"$work/out/agent.txt" 2>&1 &
    agent=$!
    listed=
    for ((i = 0; i < 600; i++)); do
      listed=$(as_nobody "$work/squall" list --agent="$work/out/s/a.sock" 2>/dev/null || true)
      [[ $listed == *"cache/0  ready"* ]] && break
      read -rt 0.1 <> <(:) || true
    done
    [[ $listed == *"cache/0  ready"* ]] || fail "the target did not get ready: $listed $(cat "$work/out/agent.txt")"
    as_nobody "$work/squall" arm hang --on role=cache --for 2s --agent="$work/out/s/a.sock" || fail "arm ended with $?"
    [[ $(as_nobody "$work/squall" list --agent="$work/out/s/a.sock") == *"hang on cache/0"* ]] || fail "it is not armed"
    as_nobody "$work/squall" halt --agent="$work/out/s/a.sock" || fail "halt ended with $?"
    as_nobody "$work/squall" list --agent="$work/out/s/a.sock"
    # End what we started: the agent by its own pid, the target (attach mode: it lives on) by asking it.
    target=$(as_nobody "$work/squall" list --agent="$work/out/s/a.sock" | sed -n 's/.*cache\/0  [a-z]* pid \([0-9]*\) .*/\1/p')
    kill "$target"
    wait "$agent" || true
    ;;
esac
echo "as expected"
