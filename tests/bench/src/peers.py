"""Asks peers from PyPI: a JSON object on standard input, one answer a line on standard output."""
import json
import sys
import time


def answer(peer, index, order, started):
    ms = (time.perf_counter() - started) * 1000
    print(json.dumps({"peer": peer, "index": index, "order": [int(i) for i in order], "ms": ms}), flush=True)


def ask_pyvrp(instances, ms):
    import pyvrp
    from pyvrp.stop import MaxRuntime

    for index, instance in enumerate(instances):
        rows, closed = instance["matrix"], instance["closed"]
        model = pyvrp.Model()
        places = [model.add_location(i, i) for i in range(len(rows))]
        model.add_depot(places[0])
        for place in places[1:]:
            model.add_client(place)
        model.add_vehicle_type(1)
        for i, a in enumerate(places):
            for j, b in enumerate(places):
                if i != j:
                    model.add_edge(a, b, distance=0 if j == 0 and not closed else rows[i][j])
        started = time.perf_counter()
        result = model.solve(MaxRuntime(ms / 1000), seed=1, display=False)
        activities = [activity for route in result.best.routes() for activity in route]
        answer("PyVRP", index, [activity.idx + 1 for activity in activities if activity.is_client()], started)


def ask_ortools(instances, ms):
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2 as enums

    for name, search in (("OR-Tools", True), ("OR-Tools first", False)):
        for index, instance in enumerate(instances):
            rows, closed = instance["matrix"], instance["closed"]
            manager = pywrapcp.RoutingIndexManager(len(rows), 1, 0)
            routing = pywrapcp.RoutingModel(manager)
            matrix = [[0 if j == 0 and not closed else rows[i][j] for j in range(len(rows))] for i in range(len(rows))]
            routing.SetArcCostEvaluatorOfAllVehicles(routing.RegisterTransitMatrix(matrix))
            options = pywrapcp.DefaultRoutingSearchParameters()
            options.first_solution_strategy = enums.FirstSolutionStrategy.PATH_CHEAPEST_ARC
            if search:
                options.local_search_metaheuristic = enums.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
                options.time_limit.FromMilliseconds(int(ms))
            started = time.perf_counter()
            solution = routing.SolveWithParameters(options)
            order, at = [], routing.Start(0)
            while not routing.IsEnd(at):
                at = solution.Value(routing.NextVar(at))
                order.append(manager.IndexToNode(at))
            answer(name, index, order[:-1], started)


def ask_scipy(instances):
    import numpy
    from scipy.optimize import linear_sum_assignment

    for index, instance in enumerate(instances):
        # A pair beyond the radius costs more than any assignment without one.
        rows = instance["costs"]
        far = 1e9
        costs = numpy.array([[far if cost is None else cost for cost in row] for row in rows], dtype=float)
        best = None
        for _ in range(3):
            started = time.perf_counter()
            columns = linear_sum_assignment(costs)
            took = time.perf_counter() - started
            best = took if best is None else min(best, took)
        order = [4294967295] * len(rows)
        for row, column in zip(*columns):
            if costs[row, column] < far:
                order[row] = column
        answer("scipy", index, order, time.perf_counter() - best)


question = json.load(sys.stdin)
if question["what"] == "route":
    ask_pyvrp(question["instances"], question["ms"])
    ask_ortools(question["instances"], question["ms"])
else:
    ask_scipy(question["instances"])
