"""Tests webhooks end to end. The receiver verifies every signature with the reference library of Standard Webhooks. It fails, times out,
closes connections, redirects and returns 410 on purpose, and the server is killed during the test.

    receiver.py DESPACHO-BINARY EMPTY-FOLDER
"""

import collections
import datetime
import http.server
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from standardwebhooks.webhooks import Webhook

OPERATOR = "webhooks-operator-token"
SETTINGS = {
    "DESPACHO_ADMIN_TOKEN": OPERATOR,
    "DESPACHO_LIMITS_WRITES_PER_MINUTE": "1000000",
    "DESPACHO_LIMITS_READS_PER_MINUTE": "1000000",
    "DESPACHO_WEBHOOKS_FIRST_RETRY_MS": "200",
    "DESPACHO_WEBHOOKS_TIMEOUT_SECONDS": "1",
    "DESPACHO_WEBHOOKS_DISABLE_AFTER": "12",
    "DESPACHO_STREAMS_PER_MERCHANT": "2",
}
TIMEOUT = 120
codes = iter(f"W-{number}" for number in range(1, 100_000))


class Server:
    """A server with one merchant and no demo data: simulated couriers would add events to the orders."""

    keys: dict[str, str] = {}

    def __init__(self, binary, folder, loopback=True):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("DESPACHO_")}
        environment.update(SETTINGS, DESPACHO_WEBHOOKS_LOOPBACK="true" if loopback else "false")
        subprocess.run([binary, "init", "--data", folder], env=environment, check=True, stdout=subprocess.DEVNULL)
        self.start([binary, "serve", "--listen", "127.0.0.1:0", "--data", folder], environment)
        self.key = self.keys[folder] = self.keys.get(folder) or self.merchant()

    def start(self, words, environment):
        self.process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)
        self.base = self.process.stdout.readline().strip().removeprefix("ready ")
        assert self.base.startswith("http"), "the server did not start"
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def send_due(self):
        """Does nothing: this server sends messages that are due without a request."""

    def open(self, method, path, body=None, key=None, timeout=30, **headers):
        data = None if body is None else json.dumps(body).encode()
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers |= {"x-api-token": key or self.key, "content-type": "application/json"}
        request = urllib.request.Request(self.base + path, data=data, method=method, headers=headers)
        return urllib.request.urlopen(request, timeout=timeout)

    def request(self, method, path, body=None, **more):
        try:
            with self.open(method, path, body, **more) as response:
                text = response.read()
                return response.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def merchant(self):
        address = {"street": "Avenida Paulista", "number": "1578", "city": "São Paulo", "state": "SP"}
        address |= {"latitude": -23.5614, "longitude": -46.6559}
        responsible = {"name": "Ana Souza", "phone": "+5511999990000"}
        store = {"cnpj": "11.222.333/0001-81", "name": "Loja de teste", "email": "loja@exemplo.com.br", "address": address}
        store |= {"password": "a long password", "responsible": responsible, "marketplaceBranchId": 1}
        status, body = self.request("POST", "/admin/matrices", store, key=OPERATOR)
        assert status == 201, body
        return body["value"]

    def order(self):
        address = {"street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP"}
        address |= {"latitude": -23.5570, "longitude": -46.6600}
        confirmation = {"platform": True, "marketplaceB": {"order_id": "B-7"}}
        delivery = {"name": "Rita", "phone": "+5511987654321", "onlinePayment": True, "address": address}
        order = {"code": next(codes), "deliveries": [delivery | {"confirmation": confirmation}]}
        status, body = self.request("POST", "/delivery/orders", order)
        assert status == 201, body
        return body["id"]

    def subscribe(self, url, events=None):
        status, body = self.request("POST", "/delivery/webhooks", {"url": url, "events": events or []})
        assert status == 201, body
        return body["id"], body["secret"]

    def status(self, webhook):
        return next(one for one in self.request("GET", "/delivery/webhooks")[1]["webhooks"] if one["id"] == webhook)["status"]

    def attempts(self, webhook):
        return self.request("GET", f"/delivery/webhooks/{webhook}/attempts?limit=100")[1]["attempts"]

    def stop(self, signal_number=signal.SIGTERM):
        self.process.send_signal(signal_number)
        return self.process.wait(TIMEOUT)


class Inbox:
    """The messages that one path of the receiver got, and its behaviour."""

    def __init__(self, respond=lambda inbox, headers, message: 204):
        self.secrets, self.respond = [], respond
        self.lock = threading.Lock()
        self.accepted, self.rejected, self.attempts = [], 0, collections.Counter()

    def orders(self):
        """Returns the event sequences of each order in the sequence of arrival, without repetitions."""
        orders, seen = collections.defaultdict(list), set()
        for name, message, _ in self.accepted:
            event = message["data"]["event"]
            if event and name not in seen:
                seen.add(name)
                orders[event["orderId"]].append(event["sequence"])
        return orders

    def has(self, orders, events=2):
        with self.lock:
            return all(len(self.orders()[order]) >= events for order in orders)


class Receiver(http.server.BaseHTTPRequestHandler):
    inboxes: dict[str, Inbox] = {}
    errors: list[str] = []
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        inbox = self.inboxes[self.path]
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name: self.headers[name] for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
        try:
            assert self.headers["content-type"] == "application/json"
            for secret in inbox.secrets:
                message = Webhook(secret).verify(body.decode(), headers)
        except Exception as error:  # noqa: BLE001
            self.errors.append(f"{self.path}: {error!r}")
            return self.send_status(400)
        with inbox.lock:
            inbox.attempts[headers["webhook-id"]] += 1
        action = inbox.respond(inbox, headers, message)
        if action == "close":
            self.close_connection = True
            return None
        if action == "time out":
            time.sleep(1.6)
            action = 204
        elif 200 <= action < 300:
            with inbox.lock:
                inbox.accepted.append((headers["webhook-id"], message, time.time()))
        else:
            with inbox.lock:
                inbox.rejected += 1
        return self.send_status(action)

    def do_GET(self):
        self.errors.append(f"GET {self.path}: a redirect was followed")
        self.send_status(200)

    def send_status(self, status):
        try:
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("location", f"http://127.0.0.1:{self.server.server_port}/private")
            self.send_header("content-length", "0")
            self.end_headers()
        except OSError:
            self.close_connection = True  # The server closed the connection after the intended timeout.

    def log_message(self, *_):
        pass


def until(description, condition):
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline, f"timed out: {description}"
        assert not Receiver.errors, Receiver.errors
        time.sleep(0.05)
    print(f"  {description}")


def subscription(server, base, path, respond=None, events=None):
    inbox = Receiver.inboxes[path] = Inbox(respond) if respond else Inbox()
    webhook, secret = server.subscribe(base + path, events)
    inbox.secrets.append(secret)
    return webhook, inbox


def assert_in_order(inbox, orders):
    for order in orders:
        sequences = inbox.orders()[order]
        assert sequences == list(range(1, len(sequences) + 1)), f"order {order}: {sequences}"


def flaky(inbox, headers, message):
    """Fails the first attempt of four messages in nine, each differently, but never so many in a row that the webhook is disabled."""
    attempts = inbox.attempts[headers["webhook-id"]]
    event = message["data"]["event"]
    if event is None or attempts > 2:
        return 204
    kind = (event["orderId"] // 2 + event["sequence"] * 4) % 9
    return {0: 500, 1: "time out", 2: "close", 3: 302}.get(kind, 204) if attempts == 1 else 204


def delivery_and_failures(server, base, binary, folder):
    webhook, fine = subscription(server, base, "/fine")
    _, bad = subscription(server, base, "/flaky", flaky)
    _, filtered = subscription(server, base, "/searching", events=["order.searching"])
    orders, created = [], {}
    for _ in range(30):
        orders.append(server.order())
        created[orders[-1]] = time.time()
    until("30 orders reach a working receiver", lambda: fine.has(orders))
    assert_in_order(fine, orders)
    first = {}
    for _, message, at in fine.accepted:
        first.setdefault(message["data"]["event"]["orderId"], at)
    waits = [1000 * (first[order] - created[order]) for order in orders]
    print(f"  from the order's response to its webhook: median {statistics.median(waits):.0f} ms, maximum {max(waits):.0f} ms")
    _, message, _ = fine.accepted[0]
    order = message["data"]["order"]
    assert message["type"] == "order.created" and order["id"] == message["data"]["event"]["orderId"], message
    assert order["deliveries"][0]["confirmation"]["marketplaceB"] == {"order_id": "B-7"}, order
    until("30 orders reach a receiver that fails, times out, closes connections and redirects", lambda: bad.has(orders))
    assert_in_order(bad, orders)
    assert sum(count > 1 for count in bad.attempts.values()) >= 10, bad.attempts
    assert all(message["type"] == "order.searching" for _, message, _ in filtered.accepted) and len(filtered.accepted) == 30

    server.stop(signal.SIGKILL)
    server = Server(binary, folder)
    more = [server.order() for _ in range(10)]
    server.stop(signal.SIGKILL)  # while it sends messages
    server = Server(binary, folder)
    until("a killed server loses no events", lambda: fine.has(more) and bad.has(more))
    assert_in_order(fine, orders + more)
    assert_in_order(bad, orders + more)

    second = Server(binary, folder)
    before = sum(fine.attempts.values())
    both = [(server if number % 2 else second).order() for number in range(20)]
    until("two instances on one database send", lambda: fine.has(both))
    assert_in_order(fine, both)
    assert sum(fine.attempts.values()) - before == 2 * len(both), "a message was sent twice"
    second.stop()
    return server, webhook, fine


def log_test_and_rotation(server, webhook, fine):
    status, queued = server.request("POST", f"/delivery/webhooks/{webhook}/test")
    assert status == 202, queued
    arrived = lambda: any(name == queued["messageId"] for name, *_ in fine.accepted)
    until("a test message arrives", arrived)
    until("the test message is in the log", lambda: server.attempts(webhook)[0]["messageId"] == queued["messageId"])
    old = server.attempts(webhook)[1]
    before = fine.attempts[old["messageId"]]
    status, queued = server.request("POST", f"/delivery/webhooks/attempts/{old['id']}/retry")
    assert (status, queued["messageId"]) == (202, old["messageId"]), queued
    until("a replay has the ID of its message", lambda: fine.attempts[old["messageId"]] == before + 1)
    status, rotated = server.request("POST", f"/delivery/webhooks/{webhook}/rotate")
    assert status == 200 and rotated["secret"] not in fine.secrets, rotated
    fine.secrets.append(rotated["secret"])
    order = server.order()
    until("after a rotation both secrets are valid", lambda: fine.has([order]))


def endings(server, base):
    webhook, _ = subscription(server, base, "/redirect", lambda *_: 307)
    server.order()
    until("a redirect is a failure", lambda: any(one["fault"] == "redirect" for one in server.attempts(webhook)))
    server.request("DELETE", f"/delivery/webhooks/{webhook}")
    assert server.request("GET", f"/delivery/webhooks/{webhook}/attempts")[0] == 404

    webhook, gone = subscription(server, base, "/gone", lambda *_: 410)
    server.order()
    until("410 ends a webhook", lambda: server.status(webhook) == "ended")
    sent = sum(gone.attempts.values())
    assert server.request("POST", f"/delivery/webhooks/{webhook}/enable")[1]["code"] == "webhook_disabled"

    repaired = threading.Event()
    broken, inbox = subscription(server, base, "/broken", lambda *_: 204 if repaired.is_set() else 503)
    orders = [server.order() for _ in range(6)]
    until("consecutive failures disable a webhook", lambda: server.status(broken) == "disabled")
    orders += [server.order() for _ in range(3)]
    assert server.request("POST", f"/delivery/webhooks/{broken}/test")[1]["code"] == "webhook_disabled"
    stopped = [one for one in server.request("GET", "/delivery/notifications")[1]["notifications"] if one["type"] == "webhook_stopped"]
    assert len(stopped) == 2 and str(broken) in stopped[0]["detail"], stopped
    repaired.set()
    assert server.request("POST", f"/delivery/webhooks/{broken}/enable")[1]["status"] == "active"
    until("an enabled webhook resumes where it stopped", lambda: inbox.has(orders))
    assert_in_order(inbox, orders)
    assert sum(gone.attempts.values()) == sent, "a message was sent after 410"


def private_networks(binary, folder):
    server = Server(binary, folder, loopback=False)
    for url in ["http://127.0.0.1/", "https://10.0.0.1/", "https://[::1]/", "https://localhost/", "http://loja.example/"]:
        assert server.request("POST", "/delivery/webhooks", {"url": url})[0] == 422, url
    # Hosts that only a resolver parses as loopback addresses.
    for url in ["https://2130706433/", "https://0x7f.1/"]:
        webhook, _ = server.subscribe(url)
        server.request("POST", f"/delivery/webhooks/{webhook}/test")
        until(f"{url} is not called", lambda: [one["fault"] for one in server.attempts(webhook)][:1] == ["address"])
    server.stop()


def streams(server):
    status, page = server.request("GET", "/delivery/events?limit=100")
    while page["more"]:
        status, page = server.request("GET", f"/delivery/events?limit=100&after={page['next']}")
    assert server.request("GET", "/delivery/events?after=1-999999")[1]["code"] == "cursor_invalid"
    start = datetime.datetime.now()
    with server.open("GET", "/delivery/events/stream", timeout=TIMEOUT, accept="text/event-stream", accept_encoding="gzip") as one:
        assert one.headers["content-type"] == "text/event-stream" and not one.headers["content-encoding"]
        order = server.order()
        seen = read_events(one, 2)
        took = datetime.datetime.now() - start
    assert [event["orderId"] for _, event in seen] == [order] * 2, seen
    print(f"  a stream sent an order's first two events after {took.total_seconds() * 1000:.0f} ms")
    with server.open("GET", "/delivery/events/stream", timeout=TIMEOUT, last_event_id=seen[0][0]) as again:
        assert read_events(again, 1) == seen[1:], "a reconnected stream resumes after the last event"
        with server.open("GET", "/delivery/events/stream", timeout=TIMEOUT):
            status, problem = server.request("GET", "/delivery/events/stream")
            assert (status, problem["code"]) == (429, "rate_limited"), problem
            begun = time.monotonic()
            assert server.stop() == 0 and time.monotonic() - begun < 10, "open streams delayed the shutdown"


def read_events(stream, count):
    events, cursor = [], None
    while len(events) < count:
        line = stream.readline().decode().rstrip("\n")
        if line.startswith("id: "):
            cursor = line[4:]
        elif line.startswith("data: "):
            events.append((cursor, json.loads(line[6:])))
            assert events[-1][1]["cursor"] == cursor
    return events


def main(binary, folder):
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{receiver.server_port}"
    data = os.path.join(folder, "data")
    server = Server(binary, data)
    server, webhook, fine = delivery_and_failures(server, base, binary, data)
    log_test_and_rotation(server, webhook, fine)
    endings(server, base)
    streams(server)
    private_networks(binary, os.path.join(folder, "private"))
    assert not Receiver.errors, Receiver.errors
    verified = sum(sum(inbox.attempts.values()) for inbox in Receiver.inboxes.values())
    print(f"  {verified} requests, every signature verified by the reference library")


if __name__ == "__main__":
    main(*sys.argv[1:])
