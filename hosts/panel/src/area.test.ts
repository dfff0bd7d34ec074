import { expect, test } from "vitest";
import { circle, corners, geometry, withCorner, type Corner } from "./area";

const SQUARE: Corner[] = [
  [-23, -46],
  [-23, -45],
  [-24, -45],
  [-24, -46],
];

test("an outline becomes a closed ring with the longitude first, and the same outline again", () => {
  const area = geometry(SQUARE);
  expect(area).toEqual({
    type: "Polygon",
    coordinates: [
      [
        [-46, -23],
        [-45, -23],
        [-45, -24],
        [-46, -24],
        [-46, -23],
      ],
    ],
  });
  expect(corners(area)).toEqual(SQUARE);
});

test("no corners are no area", () => {
  expect(geometry([])).toBeNull();
  expect([corners(null), corners(undefined)]).toEqual([[], []]);
});

test("an area with holes or several outlines has no single outline", () => {
  const ring = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ];
  const of = (type: string, coordinates: unknown) => corners({ type, coordinates } as never);
  expect(of("Polygon", [ring, ring])).toBeNull();
  expect(of("MultiPolygon", [[ring], [ring]])).toBeNull();
  expect(of("MultiPolygon", [[ring]])).toHaveLength(3);
});

test("a circle has its radius in every direction, also far from the equator", () => {
  const [north, , , , , , , , east] = circle([-30, -51], 5);
  expect(((north?.[0] ?? 0) + 30) * 111.195).toBeCloseTo(5, 6);
  expect(((east?.[1] ?? 0) + 51) * 111.195 * Math.cos(Math.PI / 6)).toBeCloseTo(5, 6);
});

test.each([
  ["above", [-22.9, -45.5], 1],
  ["right", [-23.5, -44.9], 2],
  ["below", [-24.1, -45.5], 3],
  ["left", [-23.5, -46.1], 4],
] as const)("a new corner belongs to the nearest edge: %s", (_, corner, at) => {
  expect(withCorner(SQUARE, corner)).toEqual([...SQUARE.slice(0, at), corner, ...SQUARE.slice(at)]);
});

test("the first corners are in the order in which they were added", () => {
  const [a, b, c] = SQUARE as [Corner, Corner, Corner];
  expect(withCorner(withCorner(withCorner([], a), b), c)).toEqual([a, b, c]);
});
