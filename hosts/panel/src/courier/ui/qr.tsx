/** QR codes. */

import { useEffect, useState } from "preact/hooks";

/** A QR code as one SVG path. The library is loaded when a code is shown. */
export function QrCode(props: { text: string; label: string; class: string }) {
  const [code, setCode] = useState<{ size: number; path: string } | null>(null);
  useEffect(() => {
    void import("uqr").then(
      ({ encode }) => {
        const { size, data } = encode(props.text, { ecc: "M", border: 4 });
        const cells = data.flatMap((row, y) =>
          row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
        );
        setCode({ size, path: cells.join("") });
      },
      () => {},
    );
  }, [props.text]);
  if (code === null) return null;
  return (
    <svg
      class={props.class}
      role="img"
      aria-label={props.label}
      viewBox={`0 0 ${code.size} ${code.size}`}
      shape-rendering="crispEdges"
    >
      <rect width={code.size} height={code.size} fill="#fff" />
      <path d={code.path} fill="#000" />
    </svg>
  );
}
