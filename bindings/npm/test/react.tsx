// Compiled with `tsc --strict`, not run: a merchant's page with React.
import { useState } from "react";
import type { PreviewContext } from "despacho";
import "despacho/react";
import type { DespachoPreviewElement } from "despacho/react";

export function Checkout({ context }: { context: PreviewContext }) {
  const [fee, setFee] = useState(0);
  const focus = (element: DespachoPreviewElement | null) => void element?.refresh();
  return (
    <main>
      <despacho-preview
        ref={focus}
        id="delivery"
        name="delivery"
        context={context}
        preparationTime={20}
        order={{ requirements: { packages: 2 } }}
        required
        ondespacho-price={({ detail }) => setFee(detail.preview?.deliveryFee ?? 0)}
        ondespacho-error={({ detail }) =>
          console.error(
            detail.code,
            detail.errors.map(({ field }) => field),
          )
        }
      />
      <despacho-preview
        context-url="./context.json"
        preparation-time="20"
        locale="en"
        pickup={{ city: "Osasco", state: "SP" }}
      />
      {/* @ts-expect-error the element has no such property */}
      <despacho-preview contextURL="./context.json" />
      {/* @ts-expect-error minutes are a number */}
      <despacho-preview preparationTime="20" />
      {/* @ts-expect-error a pickup is an address */}
      <despacho-preview pickup={{}} />
      {/* @ts-expect-error the event's detail has no fee */}
      <despacho-preview ondespacho-price={({ detail }) => setFee(detail.fee)} />
      <output>{fee}</output>
    </main>
  );
}
