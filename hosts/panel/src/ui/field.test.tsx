// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, test } from "vitest";
import type { FieldError } from "../api/wire";
import { CheckField, FieldErrors, TextField } from "./field";

const error = (pointer: string) =>
  ({ pointer, code: "required", detail: "Preencha." }) as FieldError;

/** Renders a form with values and errors, and returns the invalid fields. */
function invalid(
  box: HTMLElement,
  values: { name: string; paid: boolean },
  errors: readonly FieldError[],
): string[] {
  void act(() =>
    render(
      <FieldErrors.Provider value={errors}>
        <TextField pointer="/name" label="Nome" value={values.name} set={() => undefined} />
        <CheckField pointer="/paid" label="Pago" value={values.paid} set={() => undefined} />
      </FieldErrors.Provider>,
      box,
    ),
  );
  expect(box.querySelectorAll(".field-error").length).toBe(
    box.querySelectorAll("[aria-invalid]").length,
  );
  return [...box.querySelectorAll("[aria-invalid]")].map((one) => one.id);
}

test("the error of a field ends with its correction, and a new attempt can bring it back", () => {
  const box = document.createElement("div");
  const rejected = [error("/name"), error("/paid")];
  expect(invalid(box, { name: "", paid: false }, [])).toEqual([]);
  expect(invalid(box, { name: "", paid: false }, rejected)).toEqual(["f-name", "f-paid"]);
  expect(invalid(box, { name: "A", paid: false }, rejected)).toEqual(["f-paid"]);
  expect(invalid(box, { name: "A", paid: true }, rejected)).toEqual([]);
  // The rejected value is still wrong.
  expect(invalid(box, { name: "", paid: true }, rejected)).toEqual(["f-name"]);
  expect(invalid(box, { name: "A", paid: true }, [error("/name")])).toEqual(["f-name"]);
});
