#!/usr/bin/env bash
# Lints core/openapi.json, generates and compiles every client in the folder `dist`, and runs each
# against the server at DESPACHO_URL with the key DESPACHO_KEY. The argument is a Postman
# collection, whose requests are sent too. The step `generators` of `cargo verify` runs this with
# the programs of its virtual environment on PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
collection=$1
document=../../../core/openapi.json
export PATH="$PWD/node_modules/.bin:$PATH" PYTHONPATH=dist MYPYPATH=dist
rm -rf dist
set -x

# Every error and warning fails.
redocly lint --max-problems 20 "$document"
spectral lint --fail-severity hint --ruleset .spectral.yaml "$document"

openapi-typescript "$document" --output dist/api.d.ts
openapi-ts --input "$document" --output dist/hey
tsc --project .
openapi-python-client generate --fail-on-warning --path "$document" \
  --config python-client.yaml --meta none --output-path dist/despacho_client
# Two warnings drop no type: this generator does not know formats such as `cep`, whose fields are
# strings, and omits patterns of times and UUIDs, which have types. Every other one is an error.
python -W error::UserWarning -W "ignore:format of" -W "ignore:Pydantic does not take" \
  -m datamodel_code_generator --input "$document" --input-file-type openapi \
  --output dist/despacho_models.py --output-model-type pydantic_v2.BaseModel \
  --use-annotated --disable-timestamp --formatters builtin
python -m compileall -q dist/despacho_client dist/despacho_models.py
mypy --strict --follow-imports=silent --cache-dir dist/mypy \
  with_python_client.py with_python_models.py rejected_types.py

node dist/js/with-openapi-fetch.js
node dist/js/with-hey-api.js
python with_python_client.py
python with_python_models.py
node run-collection.mjs "$collection" "$DESPACHO_URL" "$DESPACHO_KEY"
