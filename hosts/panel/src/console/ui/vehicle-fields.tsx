/** The fields for a courier's vehicle with its limits, and for the equipment. */

import { loadTexts } from "../../i18n/load";
import { VEHICLES } from "../../load";
import { CheckList, ChoiceField, TextField } from "../../ui/field";
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
      <ChoiceField
        pointer="/vehicle"
        label={t.vehicle}
        value={vehicle}
        set={(chosen) => set({ vehicle: chosen, weight: "", volume: "" })}
        options={VEHICLES.map((kind) => [kind, t.names[kind]])}
      />
      <TextField
        pointer="/maxWeightGrams"
        label={t.maxWeight}
        hint={t.maxHint}
        value={weight}
        set={(text) => set({ weight: text })}
        mode="decimal"
        max={12}
        optional
      />
      <TextField
        pointer="/maxVolumeMillilitres"
        label={t.maxVolume}
        hint={t.maxHint}
        value={volume}
        set={(text) => set({ volume: text })}
        mode="decimal"
        max={12}
        optional
      />
    </>
  );
}

export function EquipmentFields(props: {
  value: readonly string[];
  set: (value: string[]) => void;
}) {
  const t = courierTexts.value;
  return (
    <CheckList
      pointer="/equipment"
      legend={t.equipment}
      hint={t.equipmentHint}
      all={EQUIPMENT}
      name={(kind) => t.equipmentNames[kind]}
      chosen={props.value}
      set={props.set}
    />
  );
}
