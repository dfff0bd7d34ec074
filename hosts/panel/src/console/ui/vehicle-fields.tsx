/** The fields for a courier's vehicle with its limits, and for the equipment. */

import { loadTexts } from "../../i18n/load";
import { VEHICLES } from "../../load";
import { CheckField, ChoiceField, TextField } from "../../ui/field";
import { courierTexts, type EquipmentKind } from "../texts/couriers";

export const DEFAULT_VEHICLE = "MOTORBIKE_BAG";
export const EQUIPMENT: readonly EquipmentKind[] = ["THERMIC_CONTAINER", "CARD_MACHINE"];

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

export function EquipmentFields(props: { value: readonly string[]; set: (value: string[]) => void }) {
  const t = courierTexts.value;
  const toggle = (kind: EquipmentKind, on: boolean) => props.set(EQUIPMENT.filter((one) => (one === kind ? on : props.value.includes(one))));
  return (
    <fieldset class="group">
      <legend>{t.equipment} <span class="hint">{t.equipmentHint}</span></legend>
      <div class="checks">
        {EQUIPMENT.map((kind) => (
          <CheckField key={kind} pointer={`/equipment/${kind}`} label={t.equipmentNames[kind]} value={props.value.includes(kind)} set={(on) => toggle(kind, on)} />
        ))}
      </div>
    </fieldset>
  );
}
