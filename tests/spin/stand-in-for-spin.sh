#!/bin/sh
# A stand-in for the Spin CLI where it is not installed: `spin up` by the test host of this folder, to try the step `spin-up` itself:
#   DESPACHO_SPIN=$PWD/tests/spin/stand-in-for-spin.sh cargo verify --only spin-up
# It shows that the step works, and nothing about Spin.
set -eu
[ "$1" = up ] || { echo "stand-in for Spin"; exit 0; }
shift
while [ $# -gt 0 ]; do
    case "$1" in
        --from) root=$(dirname "$2") ;;
        --listen) listen=$2 ;;
        --state-dir) state=$2 ;;
        *) echo "unknown option $1" >&2; exit 2 ;;
    esac
    shift 2
done
mkdir -p "$state"
export DESPACHO_COMPONENT="$root/target/wasm32-wasip2/edge/despacho.wasm"
exec "$root/target/debug/despacho-spin-tests" serve --listen "$listen" --database "$state/sqlite_db.db" \
    --variable "admin_token=$SPIN_VARIABLE_ADMIN_TOKEN" --variable "secret=$SPIN_VARIABLE_SECRET" \
    --variable "settings=$SPIN_VARIABLE_SETTINGS"
