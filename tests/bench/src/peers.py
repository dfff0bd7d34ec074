"""Runs peer solvers from PyPI: reads a JSON object from standard input and prints one JSON result per line."""
import json
import sys
import time


def print_result(peer, index, order, started):
    ms = (time.perf_counter() - started) * 1000
    print(json.dumps({"peer": peer, "index": index, "order": [int(i) for i in order], "ms": ms}), flush=True)


def run_pyvrp(instances, ms):
    import pyvrp
    from pyvrp.stop import MaxRuntime

    for index, instance in enumerate(instances):
        rows, closed = instance["matrix"], instance["closed"]
        model = pyvrp.Model()
        locations = [model.add_location(i, i) for i in range(len(rows))]
        model.add_depot(locations[0])
        for location in locations[1:]:
            model.add_client(location)
        model.add_vehicle_type(1)
        for i, a in enumerate(locations):
            for j, b in enumerate(locations):
                if i != j:
                    model.add_edge(a, b, distance=0 if j == 0 and not closed else rows[i][j])
        started = time.perf_counter()
        result = model.solve(MaxRuntime(ms / 1000), seed=1, display=False)
        activities = [activity for route in result.best.routes() for activity in route]
        print_result("PyVRP", index, [activity.idx + 1 for activity in activities if activity.is_client()], started)


def run_ortools(instances, ms):
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
            print_result(name, index, order[:-1], started)


def run_scipy(instances):
    import numpy
    from scipy.optimize import linear_sum_assignment

    for index, instance in enumerate(instances):
        # A pair outside the radius costs more than any assignment within it.
        rows = instance["costs"]
        unreachable = 1e9
        costs = numpy.array([[unreachable if cost is None else cost for cost in row] for row in rows], dtype=float)
        best = None
        for _ in range(3):
            started = time.perf_counter()
            columns = linear_sum_assignment(costs)
            elapsed = time.perf_counter() - started
            best = elapsed if best is None else min(best, elapsed)
        order = [4294967295] * len(rows)
        for row, column in zip(*columns):
            if costs[row, column] < unreachable:
                order[row] = column
        print_result("scipy", index, order, time.perf_counter() - best)


request = json.load(sys.stdin)
if request["kind"] == "route":
    run_pyvrp(request["instances"], request["ms"])
    run_ortools(request["instances"], request["ms"])
else:
    run_scipy(request["instances"])
