# shellcheck shell=bash
# What the scripts of ci/ share. Sourced, never run: source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
NAME="ci/$(basename "$0")"

# The bazel to call, with start-up options if any: BAZEL="bazel --output_base=DIR" ci/test
read -ra BAZEL_COMMAND <<<"${BAZEL:-bazel}"
bazel() { (cd "$ROOT" && command "${BAZEL_COMMAND[@]}" "$@"); }

say() { printf '%s: %s\n' "$NAME" "$*"; }
die() {
  printf '%s: %s\n' "$NAME" "$*" >&2
  exit 2
}

# Prints the comment block at the top of the script: a script's help stands in one place.
help() { awk 'NR > 1 { if ($0 !~ /^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

# Seconds since $1 (a value of $EPOCHREALTIME), one decimal.
since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

# Tracked and new files of the tree that match the patterns, NUL-terminated; every such file when there is no git.
sources() {
  git -C "$ROOT" ls-files -z --cached --others --exclude-standard -- "$@" 2>/dev/null && return
  local pattern
  for pattern in "$@"; do
    (cd "$ROOT" && find . -name node_modules -prune -o -type f -name "$pattern" -printf '%P\0')
  done
}

# label_path //a/b:c -> a/b/c, where Bazel puts the output below bazel-bin.
label_path() {
  local label=${1#//}
  [[ $label == *:* ]] || label="$label:${label##*/}"
  printf '%s\n' "${label/:/\/}"
}
