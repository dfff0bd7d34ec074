/** The fields for a courier's vehicle and its limits. */

import { loadTexts } from "../../i18n/load";
import { VEHICLES } from "../../load";
import { ChoiceField, TextField } from "../../ui/field";

export const DEFAULT_VEHICLE = "MOTORBIKE_BAG";

interface Props {
  vehicle: string;
  weight: string;
  volume: string;
  set: (part: { vehicle?: string; weight?: string; volume?: string }) => void;
}

export function VehicleFields(props: Props) {
  const t = loadTexts.value;
  const { vehicle, weight, volume, set } = props;
  return (
    <>
      {/* Another vehicle ends the courier's own limits. */}
      <ChoiceField pointer="/vehicle" label={t.vehicle} value={vehicle} set={(chosen) => set({ vehicle: chosen, weight: "", volume: "" })} options={VEHICLES.map((kind) => [kind, t.names[kind]])} />
      <TextField pointer="/maxWeightGrams" label={t.maxWeight} hint={t.maxHint} value={weight} set={(text) => set({ weight: text })} mode="decimal" max={12} optional />
      <TextField pointer="/maxVolumeMillilitres" label={t.maxVolume} hint={t.maxHint} value={volume} set={(text) => set({ volume: text })} mode="decimal" max={12} optional />
    </>
  );
}
