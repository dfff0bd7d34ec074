/** A QR code as SVG. */

import { encode } from "uqr";

export function QrCode(props: { text: string; label: string; class: string }) {
  const { data, size } = encode(props.text, { ecc: "M", border: 2 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg
      class={props.class}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={props.label}
      shape-rendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}
