# Appended to the Python of bindings/RECIPES.md: uses each function, and prints the results as JSON.
given = json.load(open("input.json"))
first, again = create_order(given["order"]), create_order(given["order"])
try:
    rejected = create_order(given["invalid"])
except DespachoError as error:
    rejected = [error.status, error.code, len(error.errors)]
delayed = [delay_order(first["id"], 7, given["key"]) for _ in range(2)]
listed = [one["id"] for one in orders(2)]
types, positions = [], []
read_events("0", lambda event: types.append(event["type"]), positions.append, 2)
statuses = [receive(given["secret"], one["headers"], base64.b64decode(one["body"])) for one in given["messages"]]
created = [first["id"], again["id"]]
print(json.dumps({"created": created, "rejected": rejected, "delayed": delayed, "listed": listed, "types": types, "position": positions[-1], "statuses": statuses}))
