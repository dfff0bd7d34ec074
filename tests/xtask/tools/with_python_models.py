# Creates an order with the models of datamodel-code-generator.
import json
import os
import urllib.error
import urllib.request

from despacho_models import CreateOrder, Order, Problem, ProblemCode

address = {"street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP", "latitude": -23.557, "longitude": -46.66}
delivery = {"name": "Rita", "phone": "+5511987654321", "onlinePayment": True, "address": address}


def send(body: str) -> Order | Problem:
    headers = {"x-api-token": os.environ["DESPACHO_KEY"], "content-type": "application/json"}
    request = urllib.request.Request(os.environ["DESPACHO_URL"] + "/delivery/orders", body.encode(), headers)
    try:
        with urllib.request.urlopen(request) as response:
            return Order.model_validate_json(response.read())
    except urllib.error.HTTPError as error:
        return Problem.model_validate_json(error.read())


def order(code: str) -> CreateOrder:
    return CreateOrder.model_validate({"code": code, "preparationTime": 15, "deliveries": [delivery]})


created = send(order("PYTHON-MODELS-1").model_dump_json(exclude_unset=True))
changed = json.loads(order("PYTHON-MODELS-2").model_dump_json(exclude_unset=True))
changed["preparationTime"] = -1
rejected = send(json.dumps(changed))
assert isinstance(created, Order) and isinstance(rejected, Problem), (created, rejected)
assert rejected.code == ProblemCode.validation_failed and rejected.errors[0].pointer == "/preparationTime", rejected
print(f"  datamodel-code-generator: order {created.id}, {rejected.code.value} at {rejected.errors[0].pointer}")
