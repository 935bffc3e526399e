#!/usr/bin/env bash
# Prove that a fresh clone of HEAD gives what is committed: usage: scripts/check_clone.sh [CLONE_DIR]
#
# Clones HEAD (never the working tree) into CLONE_DIR, or into a temporary folder that is removed at the
# end, runs `make repro` there and fails, with one line that says why, unless every stage of dvc.yaml ran,
# dvc.lock, metrics/ and reports/ came out as committed, and git and DVC find nothing changed.
# The clone makes an environment of its own, unless VENV names one.
set -euo pipefail

fail() {
  echo "check-clone: FAILED: $1" >&2
  exit 1
}

[ $# -le 1 ] || fail "usage: scripts/check_clone.sh [CLONE_DIR]"

# A make or a git hook that runs us must not reach into the clone.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL
# shellcheck disable=SC2046
unset $(git rev-parse --local-env-vars)

repository=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel) || fail "not in a git repository"
commit=$(git -C "$repository" rev-parse --verify --quiet HEAD) || fail "$repository has no commit to prove"

work=$(mktemp -d "${TMPDIR:-/tmp}/locomo-clone.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
clone=${1:-$work/clone}
log=$work/log
# DVC notes file states outside the repository; keep this clone's apart and let them go with it.
export DVC_SITE_CACHE_DIR=$work/site

git clone --quiet --no-checkout "$repository" "$clone" || fail "cannot clone $repository into $clone"
clone=$(cd "$clone" && pwd)
git -C "$clone" -c advice.detachedHead=false checkout --quiet --detach "$commit" || fail "cannot check out $commit"

case ${VENV:-} in
  "") venv=$clone/.venv ;;
  /*) venv=$VENV ;;
  *) venv=$PWD/$VENV ;;
esac
cd "$clone"

make repro VENV="$venv" </dev/null 2>&1 | tee "$log" ||
  fail "make repro: $(grep -E '^(ERROR|error|make: \*\*\*)' "$log" | head -n 1 || true)"

stages=$("$venv/bin/dvc" stage list --name-only) || fail "dvc cannot list the stages"
[ -n "$stages" ] || fail "dvc.yaml has no stage"
while IFS= read -r stage; do
  grep -qxF "Running stage '$stage':" "$log" || fail "stage '$stage' did not run"
  if grep -F "Stage '$stage' " "$log" | grep -qE 'skipping|cached'; then
    fail "stage '$stage' was skipped"
  fi
done <<<"$stages"

changed=$(git status --porcelain -- dvc.lock metrics reports)
[ -z "$changed" ] || {
  git --no-pager diff --stat -- dvc.lock metrics reports >&2
  fail "differs from the commit: $(tr '\n' ' ' <<<"$changed")"
}
changed=$(git status --porcelain)
[ -z "$changed" ] || fail "git status is not clean: $(tr '\n' ' ' <<<"$changed")"
changed=$("$venv/bin/dvc" status --json) || fail "dvc status does not work"
[ "$changed" = "{}" ] || fail "dvc status is not clean: $changed"

echo "check-clone: OK: all $(wc -l <<<"$stages" | tr -d ' ') stages of ${commit:0:12} ran and gave what is committed"
