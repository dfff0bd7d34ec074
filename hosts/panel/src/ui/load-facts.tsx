/** The facts of an order's vehicles and load, loaded only for orders with requirements. */

import type { Requirements } from "../api/wire";
import { quantity } from "../format";
import { loadTexts } from "../i18n/load";
import { Fact } from "./parts";

export function LoadFacts(props: { of: Requirements }) {
  const t = loadTexts.value;
  const { vehicle, weightGrams, volumeMillilitres, packages, container, cardMachine } = props.of;
  return (
    <>
      {vehicle.length > 0 && (
        <Fact name={t.permitted}>{vehicle.map((kind) => t.names[kind]).join(", ")}</Fact>
      )}
      {weightGrams !== null && <Fact name={t.weight}>{quantity(weightGrams / 1_000)}</Fact>}
      {volumeMillilitres !== null && (
        <Fact name={t.volume}>{quantity(volumeMillilitres / 1_000)}</Fact>
      )}
      {container === "THERMIC" && <Fact name={t.thermic}>✓</Fact>}
      {cardMachine && <Fact name={t.cardMachine}>✓</Fact>}
      {packages !== null && <Fact name={t.packages}>{packages}</Fact>}
    </>
  );
}
