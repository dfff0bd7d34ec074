"""Checks problem documents in the contract test: an operation names the codes that it returns as examples of the response."""

import schemathesis


@schemathesis.check
def problem_has_a_documented_code(ctx, response, case):
    if not response.headers.get("content-type", [""])[0].startswith("application/problem+json"):
        return
    document = case.operation.schema.raw_schema
    described = case.operation.definition.raw["responses"].get(str(response.status_code))
    if described is None:
        return  # Another check reports undocumented statuses.
    if "$ref" in described:
        described = document["components"]["responses"][described["$ref"].rsplit("/", 1)[1]]
    problem = response.json()
    codes = list(described["content"]["application/problem+json"]["examples"])
    assert problem["status"] == response.status_code and problem["code"] in codes, f"{problem['code']} is not one of {codes}"
