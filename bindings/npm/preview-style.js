// The style of <despacho-preview>. The README lists the custom properties.

/** The default colours, light and dark. */
const COLOURS = {
  text: ["#1b1f24", "#e8eaed"],
  muted: ["#57606a", "#a8b0b9"],
  field: ["#ffffff", "#16191d"],
  surface: ["#f3f5f7", "#22272d"],
  border: ["#7d8690", "#79828c"],
  accent: ["#0b5fff", "#8ab4ff"],
  error: ["#b3261e", "#ff9d95"],
};
const colours = (value) =>
  Object.entries(COLOURS)
    .map(([name, pair]) => `--_${name}: var(--despacho-${name}, ${value(...pair)});`)
    .join(" ");

// `light-dark()` uses the page's `color-scheme`, and so a page without a dark theme gets the light one.
export const STYLE = `
:host { ${colours((light) => light)} }
@supports (color: light-dark(red, red)) { :host { ${colours((light, dark) => `light-dark(${light}, ${dark})`)} } }
:host {
  --_radius: var(--despacho-radius, 8px);
  --_gap: var(--despacho-gap, 12px);
  display: block;
  container-type: inline-size;
  color: var(--_text);
  font: var(--despacho-font, 1rem/1.4 system-ui, sans-serif);
}
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
legend { padding: 0; margin-bottom: var(--_gap); font-weight: 600; }
.fields { display: grid; gap: var(--_gap); grid-template-columns: repeat(2, minmax(0, 1fr)); }
.field { display: flex; flex-direction: column; gap: 4px; min-width: 0; }
.street, .complement, .neighborhood { grid-column: 1 / -1; }
label { font-size: 0.875em; }
input, select {
  width: 100%; min-height: 44px; padding: 8px 10px; font: inherit; color: inherit; background: var(--_field);
  border: 1px solid var(--_border); border-radius: var(--_radius);
}
input:focus-visible, select:focus-visible, button:focus-visible { outline: 3px solid var(--_accent); outline-offset: 1px; }
[aria-invalid="true"] { border-color: var(--_error); box-shadow: inset 0 0 0 1px var(--_error); }
.error { color: var(--_error); font-size: 0.875em; }
.error:empty { display: none; }
.result { margin-top: var(--_gap); padding: var(--_gap); background: var(--_surface); border-radius: var(--_radius); min-height: 4.5em; }
.result p { margin: 0; }
.result p + p { margin-top: 4px; }
.price { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 12px; font-weight: 600; }
.fee { font-size: 1.25em; font-variant-numeric: tabular-nums; }
.note { color: var(--_muted); font-size: 0.875em; }
.reason { color: var(--_error); }
button {
  min-height: 44px; margin-top: 8px; padding: 8px 16px; font: inherit; color: var(--_accent); background: none; cursor: pointer;
  border: 1px solid currentColor; border-radius: var(--_radius);
}
button[hidden] { display: none; }
fieldset:disabled { opacity: 0.6; }
@container (min-width: 30rem) {
  .fields { grid-template-columns: repeat(6, minmax(0, 1fr)); }
  .zipCode, .number { grid-column: span 3; }
  .complement, .neighborhood { grid-column: span 3; }
  .city { grid-column: span 4; }
  .state { grid-column: span 2; }
}
`;
