"""Runs the code of bindings/RECIPES.md and the examples of /llms.txt against a real server, through a proxy that rejects requests and closes connections.

    recipes.py DESPACHO-BINARY EMPTY-FOLDER
"""

import base64
import concurrent.futures
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from receiver import Server  # noqa: E402

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parents[2] / "bindings" / "RECIPES.md"
# Fence, file, program.
LANGUAGES = [("bash", "check.sh", "bash"), ("js", "check.mjs", "node"), ("python", "check.py", sys.executable), ("php", "check.php", "php")]
# What the proxy does with the first requests: rejects one, closes a connection before and one after the server has the request.
FAULTS = ["reject", "close before", "close after"]
TIME_LIMIT = 60


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def respond(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        with self.server.lock:
            fault = self.server.faults.pop(0) if self.server.faults else None
            self.server.count += 1
        if fault == "reject":
            return self.respond(503, [("retry-after", "1")], b"<html>overloaded</html>")
        if fault == "close before":
            return self.close()
        upstream = http.client.HTTPConnection(self.server.target, timeout=30)
        passed = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection", "accept-encoding")}
        upstream.request(self.command, self.path, body, passed)
        response = upstream.getresponse()
        text = response.read()
        if fault == "close after":
            return self.close()
        kept = [(name, value) for name, value in response.getheaders() if name.lower() in ("content-type", "retry-after")]
        return self.respond(response.status, kept, text)

    do_GET = do_POST = handle_request

    def close(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_):
        pass


class Inbox(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items() if name.lower().startswith("webhook-")}
        self.server.messages.append({"headers": headers, "body": base64.b64encode(body).decode()})
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def listen(handler, **attributes):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    vars(server).update(attributes)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def messages(server):
    """Returns the secret of a webhook, and its messages of a new order: genuine, repeated, changed, old and unsigned, with the statuses to expect."""
    inbox = listen(Inbox, messages=[])
    secret = server.subscribe(f"http://127.0.0.1:{inbox.server_port}/", ["order.created"])[1]
    server.order()
    deadline = time.monotonic() + TIME_LIMIT
    while not inbox.messages:
        assert time.monotonic() < deadline, "no webhook arrived"
        time.sleep(0.05)
    [genuine] = inbox.messages
    with_headers = lambda **more: genuine | {"headers": genuine["headers"] | {f"webhook-{name}": value for name, value in more.items()}}
    changed = genuine | {"body": base64.b64encode(base64.b64decode(genuine["body"]).replace(b"order.created", b"order.expired")).decode()}
    two = with_headers(signature="v1,AAAA " + genuine["headers"]["webhook-signature"])
    old = with_headers(timestamp=str(int(genuine["headers"]["webhook-timestamp"]) - 301))
    return secret, [(genuine, 200), (two, 200), (changed, 401), (old, 401), (with_headers(signature=""), 401)]


def check(server, language, file, program, folder, webhook):
    """Runs one language's program and compares its results."""
    folder = pathlib.Path(folder, language)
    (folder / "inbox").mkdir(parents=True)
    code = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(code) == 4, f"{language}: the page has {len(code)} blocks"
    (folder / file).write_text("\n".join([*code, (HERE / file).read_text()]))
    address = {"street": "Rua Augusta", "number": "1500", "city": "São Paulo", "state": "SP", "latitude": -23.5570, "longitude": -46.6600}
    delivery = {"name": "Rita", "phone": "+5511987654321", "onlinePayment": True, "address": address}
    order = {"code": f"{language}-1", "preparationTime": 30, "deliveries": [delivery]}
    invalid = order | {"code": f"{language}-2", "deliveries": [delivery | {"pickupCode": "none!"}]}
    secret, sent = webhook
    given = {"order": order, "invalid": invalid, "key": f"delay-{language}-1", "secret": secret, "messages": [message for message, _ in sent]}
    (folder / "input.json").write_text(json.dumps(given))
    proxy = listen(Proxy, target=urllib.parse.urlsplit(server.base).netloc, faults=list(FAULTS), lock=threading.Lock(), count=0)
    environment = os.environ | {"DESPACHO_URL": f"http://127.0.0.1:{proxy.server_port}", "DESPACHO_KEY": server.key}
    done = subprocess.run([program, file], cwd=folder, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT)
    # curl reports each connection that the proxy closes.
    assert done.returncode == 0 and (language == "bash" or not done.stderr), f"{language}: {done.returncode}\n{done.stdout}{done.stderr}"
    result = json.loads(done.stdout)
    own = [one["id"] for one in server.request("GET", f"/delivery/orders?code={language}-1")[1]["orders"]]
    assert result["created"] == own * 2, f"{language}: {result['created']} is not the only order {own}"
    assert result["rejected"] == [422, "validation_failed", 1], result["rejected"]
    assert result["delayed"][0] == result["delayed"][1], f"{language}: a repeated key added minutes again"
    events = server.request("GET", f"/delivery/orders/{own[0]}")[1]["events"]
    assert [one["type"] for one in events].count("order.delayed") == 1, events
    assert len(set(result["listed"])) == len(result["listed"]) >= 3 and set(own) <= set(result["listed"]), result["listed"]
    assert result["types"].count("order.created") >= 3 and result["position"], result["types"]
    assert result["statuses"] == [status for _, status in sent], f"{language}: {result['statuses']}"
    stored = [path.read_bytes() for path in (folder / "inbox").iterdir()]
    assert stored == [base64.b64decode(sent[0][0]["body"])], f"{language}: {len(stored)} messages were stored"
    # Creation after three faults, its repetition, an error that is not repeated, two delays.
    assert not proxy.faults and proxy.count >= 8, f"{language}: {proxy.count} requests"
    print(f"  {language}: passed, {proxy.count} requests")


def check_examples(server):
    """Sends the requests of /llms.txt in order, with the ID of the order that one of them creates."""
    with server.open("GET", "/llms.txt") as response:
        text = response.read().decode()
    requests = re.findall(r"^```http\n(\w+) (\S+)\n+(\{.*\}\n)?```", text, re.MULTILINE)
    assert len(requests) == 10, f"/llms.txt has {len(requests)} requests"
    order = ""
    for method, path, body in requests:
        path, body = (part.replace("{platformOrderId}", order) for part in (path, body))
        status, found = server.request(method, path, json.loads(body) if body else None, Prefer="handling=strict")
        assert status in (200, 201), f"{method} {path}: {status} {found}"
        order = str(found["id"]) if (method, path) == ("POST", "/delivery/orders") else order
    links = re.findall(r"\]\((/[^)]*)\)", text)
    assert links and all(server.open("GET", link).status == 200 for link in links), links
    for page in re.findall(r"^- ([\w./]+\.md):", text, re.MULTILINE):
        assert PAGE.parents[1].joinpath(page).is_file(), page
    print(f"  /llms.txt: {len(requests)} requests passed")


def main(binary, folder):
    server = Server(binary, os.path.join(folder, "data"))
    try:
        check_examples(server)
        webhook = messages(server)
        server.order(), server.order()
        available = [one for one in LANGUAGES if one[0] != "php" or shutil.which("php")]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for running in [pool.submit(check, server, *one, folder, webhook) for one in available]:
                running.result()
    finally:
        server.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
