/** The form fields of an address. */

import { useRef, useState } from "preact/hooks";
import { bareZip, coordinates, type AddressDraft } from "../address-draft";
import { STATES, cepFormat } from "../format";
import { splitStreet } from "../street";
import { ChoiceField, TextField } from "./field";
import { lazy } from "./lazy";
import { addressTexts } from "../i18n/address";

const PinDialog = lazy(() => import("./pin").then((module) => module.PinDialog), 0);

interface Props {
  pointer: string;
  value: AddressDraft;
  set: (value: AddressDraft) => void;
  /** Finds the city of a CEP, if the page can; afterwards `latest` returns the address, or `undefined` if it was removed meanwhile. */
  lookup?: {
    find: (zip: string) => Promise<{ city: string; state: string } | null>;
    latest: () => AddressDraft | undefined;
  };
}

export function AddressFields(props: Props) {
  const [isChoosing, setChoosing] = useState(false);
  const t = addressTexts.value;
  const { pointer, value } = props;
  const change = (name: keyof AddressDraft) => (text: string) => {
    props.set({ ...value, [name]: text });
    if (name === "zipCode" && bareZip(text) !== bareZip(value.zipCode))
      void fillInCity(bareZip(text));
  };
  /** The street as it was typed before it was split. The user can type it again to keep it whole. */
  const whole = useRef("");
  if (value.street === "") whole.current = "";
  const split = (typed: string) => {
    if (typed === whole.current || (value.number + value.complement).trim() !== "") return;
    const parts = splitStreet(typed);
    if (parts === null) return;
    whole.current = typed;
    props.set({ ...value, ...parts });
  };
  // The label says so, because a hint would move the fields below it while one of them is clicked.
  const isSplit = value.number !== "" && splitStreet(whole.current)?.number === value.number;
  /** Fills in the city and the state of a new complete CEP unless the user types others meanwhile. */
  const fillInCity = async (zip: string) => {
    const { lookup } = props;
    const before = lookup?.latest();
    if (lookup === undefined || before === undefined || zip.length !== 8) return;
    const found = await lookup.find(zip);
    const now = lookup.latest();
    if (
      found === null ||
      now === undefined ||
      bareZip(now.zipCode) !== zip ||
      now.city !== before.city ||
      now.state !== before.state
    )
      return;
    props.set({ ...now, city: found.city, state: found.state });
  };
  return (
    <div class="grid address">
      <TextField
        pointer={`${pointer}/zipCode`}
        label={t.zip}
        value={value.zipCode}
        set={change("zipCode")}
        mode="numeric"
        mask={cepFormat}
        format={cepFormat}
        max={12}
      />
      <TextField
        pointer={`${pointer}/street`}
        label={t.street}
        value={value.street}
        set={change("street")}
        entered={split}
        max={255}
        wide
      />
      <TextField
        pointer={`${pointer}/number`}
        label={isSplit ? t.splitNumber : t.number}
        value={value.number}
        set={change("number")}
        suggested={isSplit}
        max={60}
      />
      <TextField
        pointer={`${pointer}/complement`}
        label={t.complement}
        value={value.complement}
        set={change("complement")}
        optional
        max={255}
      />
      <TextField
        pointer={`${pointer}/neighborhood`}
        label={t.neighborhood}
        value={value.neighborhood}
        set={change("neighborhood")}
        optional
        max={255}
      />
      <TextField
        pointer={`${pointer}/city`}
        label={t.city}
        value={value.city}
        set={change("city")}
        max={255}
      />
      <ChoiceField
        pointer={`${pointer}/state`}
        label={t.state}
        value={value.state}
        set={change("state")}
        options={[["", t.choose], ...STATES.map((state) => [state, state] as const)]}
      />
      <details class="wide" open={value.latitude !== "" || value.longitude !== ""}>
        <summary>{t.location}</summary>
        <p class="hint">{t.locationHint}</p>
        <div class="grid two">
          <TextField
            pointer={`${pointer}/latitude`}
            label={t.latitude}
            value={value.latitude}
            set={change("latitude")}
            mode="decimal"
          />
          <TextField
            pointer={`${pointer}/longitude`}
            label={t.longitude}
            value={value.longitude}
            set={change("longitude")}
            mode="decimal"
          />
        </div>
        <button type="button" class="button small" onClick={() => setChoosing(true)}>
          {t.pin}
        </button>
        {isChoosing && (
          <PinDialog
            start={coordinates(value)}
            address={value}
            choose={(latitude, longitude) => props.set({ ...value, latitude, longitude })}
            close={() => setChoosing(false)}
          />
        )}
      </details>
    </div>
  );
}
