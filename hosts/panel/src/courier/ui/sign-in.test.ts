// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { codeIn } from "./sign-in";

test.each([
  ["in_a-B_9", "in_a-B_9"],
  ["https://entregas.example/courier#in_a-B_9", "in_a-B_9"],
  ["Seu acesso: https://entregas.example/courier#in_abc. Bom trabalho!", "in_abc"],
  ["https://entregas.example/courier", null],
  ["", null],
])("the code in %j is %j", (text, code) => expect(codeIn(text)).toBe(code));
