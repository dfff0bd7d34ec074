/** The fields of an address. */

import { STATES } from "../format";
import { texts } from "../i18n";
import { ChoiceField, TextField } from "./field";

export interface AddressDraft {
  zipCode: string;
  street: string;
  number: string;
  complement: string;
  neighborhood: string;
  city: string;
  state: string;
  latitude: string;
  longitude: string;
}

export const noAddress = (): AddressDraft => ({
  zipCode: "", street: "", number: "", complement: "", neighborhood: "", city: "", state: "", latitude: "", longitude: "",
});

/** The address as a request has it: what is empty is left out. */
export function sentAddress(draft: AddressDraft): Record<string, string | number> {
  const sent: Record<string, string | number> = {};
  for (const name of ["street", "number", "complement", "neighborhood", "city", "state", "zipCode"] as const) {
    if (draft[name].trim() !== "") sent[name] = draft[name].trim();
  }
  for (const name of ["latitude", "longitude"] as const) {
    const degrees = decimal(draft[name]);
    if (degrees !== undefined) sent[name] = degrees;
  }
  return sent;
}

/** A number as people write it, with a comma or a point; other text is sent unchanged, so that the API reports it. */
export function decimal(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const plain = trimmed.includes(",") ? trimmed.replace(/\./g, "").replace(",", ".") : trimmed;
  const number = Number(plain);
  return Number.isFinite(number) ? number : (trimmed as unknown as number);
}

export function isLocatable(draft: AddressDraft): boolean {
  const bare = draft.zipCode.replace(/\D/g, "");
  const coordinates = draft.latitude.trim() !== "" && draft.longitude.trim() !== "";
  return bare.length === 8 || (draft.city.trim() !== "" && draft.state !== "") || coordinates;
}

interface Props {
  at: string;
  value: AddressDraft;
  set: (value: AddressDraft) => void;
  /** Called with a CEP of eight digits, to fill in its city and state. */
  zipGiven?: (zip: string) => void;
}

export function AddressFields(props: Props) {
  const t = texts.value.address;
  const { at, value } = props;
  const change = (name: keyof AddressDraft) => (text: string) => {
    props.set({ ...value, [name]: text });
    if (name === "zipCode" && text.replace(/\D/g, "").length === 8) props.zipGiven?.(text.replace(/\D/g, ""));
  };
  return (
    <div class="grid address">
      <TextField at={`${at}/zipCode`} label={t.zip} value={value.zipCode} set={change("zipCode")} mode="numeric" max={12} />
      <TextField at={`${at}/street`} label={t.street} value={value.street} set={change("street")} max={255} wide />
      <TextField at={`${at}/number`} label={t.number} value={value.number} set={change("number")} max={60} />
      <TextField at={`${at}/complement`} label={t.complement} value={value.complement} set={change("complement")} optional max={255} />
      <TextField at={`${at}/neighborhood`} label={t.neighborhood} value={value.neighborhood} set={change("neighborhood")} optional max={255} />
      <TextField at={`${at}/city`} label={t.city} value={value.city} set={change("city")} max={255} />
      <ChoiceField
        at={`${at}/state`}
        label={t.state}
        value={value.state}
        set={change("state")}
        options={[["", t.choose], ...STATES.map((state) => [state, state] as const)]}
      />
      <details class="wide" open={value.latitude !== "" || value.longitude !== ""}>
        <summary>{t.place}</summary>
        <p class="hint">{t.placeHint}</p>
        <div class="grid two">
          <TextField at={`${at}/latitude`} label={t.latitude} value={value.latitude} set={change("latitude")} mode="decimal" />
          <TextField at={`${at}/longitude`} label={t.longitude} value={value.longitude} set={change("longitude")} mode="decimal" />
        </div>
      </details>
    </div>
  );
}
