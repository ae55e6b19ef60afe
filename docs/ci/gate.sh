#!/bin/sh
# The gates for any build server. Run it at the top of the clone, with ragtriage installed:
#
#   sh gate.sh key         the cache key: keep $RAGTRIAGE_HOME under it between builds, with any older one as a fallback
#   sh gate.sh retrieval   for each change; BASE is the revision it goes into (origin/main)
#   sh gate.sh answers     nightly: asks the model of ragtriage.toml for the answers that are not known yet
#
# Exit codes are those of ragtriage gate: 0 ok, 1 regressed, 2 nothing was gated, 3 cannot tell. Fail the build on all but 0.
set -eu

paths="docs evals ragtriage.toml src/retrieval" # corpus, golden set and baseline, configuration, code that retrieves
if [ -z "${RAGTRIAGE_HOME:-}" ]; then
    RAGTRIAGE_HOME="$PWD/.ragtriage-home"
    mkdir -p "$RAGTRIAGE_HOME"
    echo '*' >"$RAGTRIAGE_HOME/.gitignore" # nobody is to commit it
fi
export RAGTRIAGE_HOME

case "${1:-retrieval}" in
key)
    git ls-tree -r HEAD -- docs evals/golden.jsonl ragtriage.toml | git hash-object --stdin
    ;;
retrieval)
    base="${BASE:-origin/main}"
    # shellcheck disable=SC2086
    if ! git merge-base "$base" HEAD >/dev/null 2>&1; then
        echo "what has changed since $base is not known in this clone, so the gate runs" >&2
    elif git diff --quiet "$base...HEAD" -- $paths; then
        echo "nothing that retrieval depends on has changed"
        exit 0
    fi
    ragtriage gate
    ;;
answers)
    RAGTRIAGE_TRUST=1 ragtriage gate --answers --yes
    ;;
*)
    echo "usage: sh gate.sh key|retrieval|answers" >&2
    exit 2
    ;;
esac
