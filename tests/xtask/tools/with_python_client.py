# Creates an order with the client of openapi-python-client.
import os

from despacho_client import AuthenticatedClient
from despacho_client.api.orders import create_order
from despacho_client.models import CreateOrder, Order, Problem

address = {"street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP", "latitude": -23.557, "longitude": -46.66}
delivery = {"name": "Rita", "phone": "+5511987654321", "onlinePayment": True, "address": address}


def order(code: str, minutes: int) -> CreateOrder:
    return CreateOrder.from_dict({"code": code, "preparationTime": minutes, "deliveries": [delivery]})


client = AuthenticatedClient(os.environ["DESPACHO_URL"], token=os.environ["DESPACHO_KEY"], prefix="", auth_header_name="x-api-token")
created = create_order.sync(client=client, body=order("PYTHON-CLIENT-1", 15))
rejected = create_order.sync(client=client, body=order("PYTHON-CLIENT-2", -1))
assert isinstance(created, Order) and isinstance(rejected, Problem), (created, rejected)
assert rejected.code == "validation_failed" and rejected.errors[0].pointer == "/preparationTime", rejected
print(f"  openapi-python-client: order {created.id}, {rejected.code} at {rejected.errors[0].pointer}")
