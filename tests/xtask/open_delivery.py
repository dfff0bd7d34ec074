"""Tests Open Delivery end to end: ten deliveries with a point of sale that receives the events and checks the recipients' codes.

    open_delivery.py warp DESPACHO-BINARY EMPTY-FOLDER
    open_delivery.py spin DESPACHO-SPIN-TESTS-BINARY EMPTY-FOLDER
    open_delivery.py recorded FILE

If DESPACHO_OPEN_DELIVERY names the standard's OpenAPI document, every response and every message is validated against its schemas, and the
fields of its requests must be those that the core's tests change. The third form validates those that the core's tests recorded, a line `[SCHEMA, VALUE]` each.
"""

import collections
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

from receiver import OPERATOR, SETTINGS, Server

MERCHANT = "11222333000181-de7e5f0c-7d2e-4b8a-9f4e-0a3d6b1c2f10"
TYPES_WITHOUT_COURIER = {"PENDING", "REJECTED", "CANCELLED"}
RIGHT_CODE = "4711"


class Schemas:
    """The schemas of the standard, if its document is available."""

    def __init__(self):
        self.document, self.count = None, 0
        if path := os.environ.get("DESPACHO_OPEN_DELIVERY"):
            import yaml

            self.document = yaml.safe_load(pathlib.Path(path).read_text())
            self.check_fields()

    def check_fields(self):
        """Compares the names of the requests' fields with those that the core's tests change one by one."""
        known = json.loads(pathlib.Path("core/src/api/validate/open_delivery/standard.json").read_text())
        found = {}
        for path, operations in self.document["paths"].items():
            body = self.resolved(operations.get("post", {}).get("requestBody", {}))
            if path.startswith("/v1/logistics/") and body:
                names = {name for content in body["content"].values() for name in self.fields(content["schema"], "")}
                found[path] = {name for name in names if not any(other.startswith(f"{name}/") for other in names)}
        tested = {path: {*request["effect"], *request["withoutEffect"]} for path, request in known.items()}
        assert found == tested, {path: found.get(path, set()) ^ tested.get(path, set()) for path in {**found, **tested}}

    def resolved(self, node):
        while "$ref" in node:
            found = self.document
            for name in node["$ref"].removeprefix("#/").split("/"):
                found = found[name]
            node = found
        return node

    def fields(self, schema, path):
        schema = self.resolved(schema)
        for part in (part for key in ("allOf", "oneOf", "anyOf") for part in schema.get(key, [])):
            yield from self.fields(part, path)
        if "items" in schema:
            yield from self.fields(schema["items"], f"{path}/0")
        for name, value in schema.get("properties", {}).items():
            yield f"{path}/{name}"
            yield from self.fields(value, f"{path}/{name}")

    def check(self, name, value):
        if self.document is None:
            return
        from openapi_schema_validator import OAS30Validator

        schema = {"$ref": f"#/components/schemas/{name}", "components": self.document["components"]}
        errors = [f"{list(error.absolute_path)}: {error.message}" for error in OAS30Validator(schema).iter_errors(value)]
        assert not errors, f"{name}: {errors} in {value}"
        self.count += 1

    def __str__(self):
        if self.document is None:
            return "DESPACHO_OPEN_DELIVERY is unset: no schemas compared"
        return f"{self.count} documents match the standard's schemas"


class SpinServer(Server):
    """The Spin component in the runtime of its tests."""

    def __init__(self, binary, folder, receiver):
        limits = {"writes-per-minute": 1_000_000, "reads-per-minute": 1_000_000}
        settings = {"webhooks": {"loopback": True, "first-retry-ms": 200}, "limits": limits, "dispatch": {"lead-minutes": 0}}
        variables = {"admin_token": OPERATOR, "settings": json.dumps(settings)}
        words = [binary, "serve", "--database", f"{folder}/despacho.db", "--outbound", receiver]
        words += [word for pair in variables.items() for word in ("--variable", "=".join(pair))]
        self.start(words, os.environ)
        self.key = self.merchant()

    def send_due(self):
        # A component runs only while it responds: the operator's schedule calls this endpoint.
        status, body = self.request("POST", "/admin/dispatch", key=OPERATOR)
        assert status == 200, body


class PointOfSale(http.server.BaseHTTPRequestHandler):
    secret = ""
    app_id = ""
    schemas: Schemas
    events = collections.defaultdict(list)
    errors: list[str] = []
    lock = threading.Lock()
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        status = 204
        try:
            expected = hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()
            assert hmac.compare_digest(self.headers["x-app-signature"], expected), "signature"
            assert (self.headers["x-app-merchantid"], self.headers["x-app-id"]) == (MERCHANT, self.app_id), "headers"
            message = json.loads(body)
            if self.path == "/pos/v1/confirmationCode":
                self.schemas.check("DeliveryConfirmationCode", message)
                status = 200 if message["deliveryCode"] == RIGHT_CODE else 400
            else:
                assert self.path == "/pos/v1/newLogisticEvent", self.path
                self.check_event(message)
        except Exception as error:  # noqa: BLE001
            self.errors.append(f"{self.path}: {error!r}")
            status = 400
        text = b'{"title":"incorrect","status":400}' if status == 400 else b""
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def check_event(self, message):
        self.schemas.check("DeliveryOrderEvent", message)
        kind = message["event"]["type"]
        for member in ("vehicle", "deliveryPrice", "eta", "deliveryPerson"):
            assert member in message or kind in TYPES_WITHOUT_COURIER, f"{kind} has no {member}"
        with self.lock:
            self.events[message["orderId"]].append(kind)

    def log_message(self, *_):
        pass


class Connection:
    """A connection with a courier of its own."""

    def __init__(self, server, base, schemas):
        self.server, self.schemas = server, schemas
        body = {"url": f"{base}/pos", "openDelivery": {"merchantId": MERCHANT}}
        status, created = server.request("POST", "/delivery/webhooks", body)
        assert status == 201, created
        PointOfSale.secret, PointOfSale.app_id = created["secret"], created["openDelivery"]["appId"]
        form = {"grant_type": "client_credentials", "client_id": created["openDelivery"]["clientId"], "client_secret": created["secret"]}
        request = urllib.request.Request(server.base + "/oauth/token", data=urllib.parse.urlencode(form).encode())
        with urllib.request.urlopen(request) as response:
            token = json.load(response)
        schemas.check("TokenResponse", token)
        self.token = token["access_token"]

    def call(self, method, path, body=None, schema=None, expected=200):
        data = None if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        request = urllib.request.Request(f"{self.server.base}/v1/logistics/{path}", data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        value = json.loads(text) if text else None
        assert status == expected, f"{method} {path}: {status} {value}"
        if status >= 400:
            self.schemas.check("Error", value)
        elif schema:
            self.schemas.check(schema, value)
        return value


def address(number, latitude):
    return {
        "country": "BR", "state": "SP", "city": "São Paulo", "district": "Bela Vista", "street": "Avenida Paulista", "number": number,
        "postalCode": "01310-200", "complement": "", "latitude": latitude, "longitude": -46.6559,
    }  # fmt: skip


def availability(**more):
    return {
        "merchant": {"id": MERCHANT, "name": "Pizzaria Boa"}, "pickupAddress": address("1578", -23.5614),
        "deliveryAddress": address("1000", -23.5650), "returnToMerchant": False, "canCombine": False,
        "vehicle": {"type": ["MOTORBIKE_BAG"], "container": "THERMIC"}, "limitTimes": {"pickupLimit": 60, "deliveryLimit": 120},
        "totalOrderPrice": {"value": 57.9, "currency": "BRL"}, "totalWeight": 1200,
    } | more  # fmt: skip


class Delivery:
    """A delivery and its courier."""

    def __init__(self, connection, **more):
        self.connection, self.server, self.id = connection, connection.server, str(uuid.uuid4())
        body = availability(orderId=self.id, orderDisplayId="1042", customerName="Maria Silva", customerPhone="11999990000") | more
        connection.call("POST", "delivery", body, "DeliveryOrderResponse", 202)
        order = self.server.request("GET", f"/delivery/orders?code={self.id}")[1]["orders"][0]
        self.order, self.stop, self.pickup_code = order["id"], order["deliveries"][0]["id"], order["pickupCode"]
        self.courier = None

    def assign(self):
        body = {"name": "João Lima", "phone": "+5511990000011", "available": True}
        courier = self.server.request("POST", "/admin/couriers", body, key=OPERATOR)[1]
        self.courier = courier["value"]
        position = {"latitude": -23.5612, "longitude": -46.6559}
        self.server.request("POST", "/courier/position", position, key=self.courier)
        self.server.request("POST", "/admin/dispatch", key=OPERATOR)
        assert self.server.request("GET", "/courier/me", key=self.courier)[1]["orderId"] == self.order
        return self

    def steps(self, *names, expected=200, **more):
        for name in names:
            body = {"deliveryId": self.stop, "code": self.pickup_code} | more
            status, problem = self.server.request("POST", f"/courier/orders/{self.order}/{name}", body, key=self.courier)
            assert status == expected, f"{name}: {status} {problem}"
        return self

    def hand_back(self):
        code = self.server.request("GET", f"/delivery/orders/{self.order}")[1]["returnCode"]
        return self.steps("at-return").steps("hand-back", code=code)

    def free(self):
        """Ends the shift of the courier, so that each delivery has its own."""
        if self.courier:
            self.server.request("POST", "/courier/availability", {"available": False}, key=self.courier)

    def call(self, step, body=None, schema=None, expected=200):
        return self.connection.call("POST", f"{step}/{self.id}", body, schema, expected)

    def ends_with(self, *kinds):
        """Waits for the last events, and compares them with the details."""
        until = time.monotonic() + 60
        while tuple(PointOfSale.events[self.id][-len(kinds) :]) != kinds:
            assert time.monotonic() < until, f"{PointOfSale.events[self.id]} does not end with {kinds}; {PointOfSale.errors}"
            self.server.send_due()
            time.sleep(0.02)
        details = self.connection.call("GET", f"delivery/{self.id}", None, "DeliveryOrderDetails")
        recorded = [event["type"] for event in details["events"]]
        assert recorded == PointOfSale.events[self.id], f"{recorded} in the details, {PointOfSale.events[self.id]} received"
        self.free()


TO_DOOR = ("arrive", "pickup", "en-route", "at-door")
FINISH = {"finishDate": "2026-11-21T15:00:00Z"}
CASH = {"method": "OFFLINE", "offlineMethod": [{"type": "CASH", "amount": {"value": 57.9, "currency": "BRL"}}], "change": {"value": 42.1, "currency": "BRL"}}


def lives(connection):
    """Runs ten deliveries, each with another life."""
    Delivery(connection).assign().steps(*TO_DOOR, "deliver").ends_with("ARRIVED_AT_CUSTOMER", "ORDER_DELIVERED", "DELIVERY_FINISHED")

    waiting = Delivery(connection, notifyReadyForPickup=True, notifyPickup=True, notifyConclusion=True).assign().steps("arrive")
    waiting.steps("pickup", expected=409)
    waiting.call("readyForPickup")
    waiting.call("orderPicked", {"volumePicked": 1})
    waiting.steps("en-route", "at-door", "deliver")
    waiting.call("finishDelivery", FINISH)
    waiting.ends_with("ORDER_DELIVERED", "DELIVERY_FINISHED")

    cancelled = Delivery(connection)
    cancelled.call("cancel", {"reason": "CONSUMER_CANCELLATION_REQUESTED"}, "DeliveryCancelResponse", 202)
    cancelled.ends_with("PENDING", "CANCELLED")

    late = Delivery(connection).assign()
    late.call("cancel", {"reason": "PROBLEM_AT_MERCHANT"}, "DeliveryCancelResponse", 202)
    late.ends_with("ACCEPTED", "CANCELLED")

    returned = Delivery(connection).assign().steps(*TO_DOOR)
    returned.call("cancel", {"reason": "NO_SHOW", "action": "RETURN_TO_STORE"}, "DeliveryCancelResponse", 202)
    returned.hand_back().ends_with("RETURNING_TO_MERCHANT", "RETURNING_TO_MERCHANT", "RETURNED_TO_MERCHANT", "DELIVERY_FINISHED")

    failed = Delivery(connection).assign().steps(*TO_DOOR).steps("fail", reason="Ninguém em casa")
    failed.hand_back().ends_with("RETURNED_TO_MERCHANT", "DELIVERY_FINISHED")

    again = Delivery(connection).assign().steps(*TO_DOOR)
    again.call("handleProblem", {"reason": "NOBODY_TO_RECEIVE", "action": "DELIVER_PRODUCT"})
    again.steps("deliver").ends_with("ORDER_DELIVERED", "DELIVERY_FINISHED")

    discarded = Delivery(connection).assign().steps(*TO_DOOR)
    discarded.call("handleProblem", {"reason": "ORDER_DAMAGED_OR_VIOLATED", "action": "CANCEL_DELIVERY"})
    discarded.ends_with("ARRIVED_AT_CUSTOMER", "CANCELLED")

    paid = Delivery(connection, payments=CASH, returnToMerchant=True).assign().steps(*TO_DOOR, "deliver")
    paid.hand_back().ends_with("ORDER_DELIVERED", "RETURNING_TO_MERCHANT", "RETURNED_TO_MERCHANT", "DELIVERY_FINISHED")

    checked = Delivery(connection, confirmationCodeRequired=True).assign().steps(*TO_DOOR)
    checked.steps("deliver", code="0000", expected=422)
    checked.steps("deliver", code=RIGHT_CODE).ends_with("ORDER_DELIVERED", "DELIVERY_FINISHED")


def run(host, binary, folder):
    schemas = Schemas()
    PointOfSale.schemas = schemas
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PointOfSale)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    address = f"127.0.0.1:{receiver.server_port}"
    if host == "spin":
        server = SpinServer(binary, folder, address)
    else:
        SETTINGS["DESPACHO_DISPATCH_LEAD_MINUTES"] = "0"
        server = Server(binary, folder)
    try:
        connection = Connection(server, f"http://{address}", schemas)
        connection.call("POST", "availability", availability(), "DeliveryAvailabilityPriceResponse")
        connection.call("POST", "delivery", {}, expected=422)
        connection.call("POST", f"cancel/{uuid.uuid4()}", {"reason": "OTHER"}, expected=404)
        lives(connection)
    finally:
        server.stop()
    assert not PointOfSale.errors, PointOfSale.errors
    messages = sum(len(kinds) for kinds in PointOfSale.events.values())
    print(f"open delivery on {host}: ten deliveries, {messages} messages with correct signatures; {schemas}")


def check_recorded(path):
    schemas = Schemas()
    lines = pathlib.Path(path).read_text().splitlines()
    assert lines, f"{path} is empty"
    for line in lines:
        schemas.check(*json.loads(line))
    print(f"open delivery in memory: {len(lines)} documents recorded; {schemas}")


if __name__ == "__main__":
    form, *arguments = sys.argv[1:]
    if form == "recorded":
        check_recorded(*arguments)
    else:
        run(form, *arguments)
