"""Asks peers from PyPI: a JSON object on standard input, one answer a line on standard output."""
import json
import sys
import time


def answer(peer, index, order, started):
    ms = (time.perf_counter() - started) * 1000
    print(json.dumps({"peer": peer, "index": index, "order": [int(i) for i in order], "ms": ms}), flush=True)


def ask_pyvrp(instances, ms):
    try:
        import pyvrp
        from pyvrp.stop import MaxRuntime
    except ImportError:
        print("missing pyvrp")
        return
    for index, instance in enumerate(instances):
        rows, closed = instance["matrix"], instance["closed"]
        model = pyvrp.Model()
        places = [model.add_depot(0, 0)] if len(rows) else []
        places += [model.add_client(i, i) for i in range(1, len(rows))]
        model.add_vehicle_type(1)
        for i, a in enumerate(places):
            for j, b in enumerate(places):
                if i != j:
                    model.add_edge(a, b, distance=0 if j == 0 and not closed else rows[i][j])
        started = time.perf_counter()
        result = model.solve(MaxRuntime(ms / 1000), seed=1, display=False)
        routes = result.best.routes()
        order = [visit for route in routes for visit in route.visits()]
        answer("PyVRP", index, [getattr(visit, "location", visit) for visit in order], started)


def ask_ortools(instances, ms):
    try:
        from ortools.constraint_solver import pywrapcp, routing_enums_pb2 as enums
    except ImportError:
        print("missing ortools")
        return
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
    try:
        import numpy
        from scipy.optimize import linear_sum_assignment
    except ImportError:
        print("missing scipy")
        return
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
