import { expect, test } from "vitest";
import { distanceKm } from "./geo";

const SE = { latitude: -23.5504, longitude: -46.6339 };

test("the distance of two squares in São Paulo and of two cities is known", () => {
  // Praça da Sé to Praça da República: 1.2 km; São Paulo to Rio de Janeiro: 361 km.
  expect(distanceKm(SE, { latitude: -23.5431, longitude: -46.6424 })).toBeCloseTo(1.2, 1);
  expect(distanceKm(SE, { latitude: -22.9068, longitude: -43.1729 })).toBeCloseTo(361, -1);
  expect(distanceKm(SE, SE)).toBe(0);
});

test("there is no distance without a position", () => {
  expect(distanceKm(SE, { latitude: null, longitude: -43.2 })).toBeNull();
  expect(distanceKm({ latitude: -23.5, longitude: null }, SE)).toBeNull();
});
