#!/bin/sh
# A stand-in for the Spin CLI that runs `spin up` with the test host of this folder, to test the step `spin-up` without Spin:
#   DESPACHO_SPIN=$PWD/tests/spin/stand-in-for-spin.sh cargo verify --only spin-up
# It does not test the component on Spin itself.
set -eu
[ "$1" = up ] || { echo "stand-in for Spin"; exit 0; }
shift
while [ $# -gt 0 ]; do
    case "$1" in
        --from) application=$(dirname "$2") ;;
        --listen) listen=$2 ;;
        --state-dir) state=$2 ;;
        *) echo "unknown option $1" >&2; exit 2 ;;
    esac
    shift 2
done
mkdir -p "$state"
repository=$(cd "$(dirname "$0")/../.." && pwd)
export DESPACHO_COMPONENT="$application/target/wasm32-wasip2/edge/despacho_spin.wasm"
exec "${CARGO_TARGET_DIR:-$repository/target}/debug/despacho-spin-tests" serve --application "$application" --listen "$listen" \
    --database "$state/sqlite_db.db" --variable "admin_token=$SPIN_VARIABLE_ADMIN_TOKEN" --variable "secret=$SPIN_VARIABLE_SECRET" \
    --variable "settings=$SPIN_VARIABLE_SETTINGS" --variable "public_url=${SPIN_VARIABLE_PUBLIC_URL:-}"
