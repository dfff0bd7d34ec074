/** The optional section of a form for the vehicles and the load of an order. */

import { useContext } from "preact/hooks";
import { loadTexts } from "../i18n/load";
import { VEHICLES, type LoadDraft } from "../load";
import { CheckField, FieldErrors, OptionalSection, TextField } from "./field";

export function LoadFields(props: { value: LoadDraft; set: (value: LoadDraft) => void }) {
  const t = loadTexts.value;
  const { value } = props;
  const set = (part: Partial<LoadDraft>) => props.set({ ...value, ...part });
  const errors = useContext(FieldErrors).some((error) => error.pointer.startsWith("/requirements"));
  const isUsed =
    value.vehicles.length > 0 ||
    `${value.weight}${value.volume}${value.packages}` !== "" ||
    value.thermic === true;
  return (
    <OptionalSection class="card" title={t.title} used={errors || isUsed} testId="load">
      <p class="hint">{t.hint}</p>
      <div class="grid">
        <TextField
          pointer="/requirements/weightGrams"
          label={t.weight}
          hint={t.allHint}
          value={value.weight}
          set={(weight) => set({ weight })}
          mode="decimal"
          max={12}
          optional
        />
        <TextField
          pointer="/requirements/volumeMillilitres"
          label={t.volume}
          hint={t.allHint}
          value={value.volume}
          set={(volume) => set({ volume })}
          mode="decimal"
          max={12}
          optional
        />
        <TextField
          pointer="/requirements/packages"
          label={t.packages}
          value={value.packages}
          set={(packages) => set({ packages })}
          mode="numeric"
          max={3}
          optional
        />
      </div>
      <CheckField
        pointer="/requirements/container"
        label={t.thermic}
        hint={t.thermicHint}
        value={value.thermic === true}
        set={(thermic) => set({ thermic })}
      />
      <fieldset class="group">
        <legend>
          {t.permitted} <span class="hint">{t.permittedHint}</span>
        </legend>
        <div class="checks">
          {VEHICLES.map((kind) => (
            <CheckField
              key={kind}
              pointer={`/requirements/vehicle/${kind}`}
              label={t.names[kind]}
              value={value.vehicles.includes(kind)}
              set={(on) =>
                set({
                  vehicles: VEHICLES.filter((one) =>
                    one === kind ? on : value.vehicles.includes(one),
                  ),
                })
              }
            />
          ))}
        </div>
      </fieldset>
    </OptionalSection>
  );
}
