/** The parts of a proof: photos, a name and a note. The position is added by itself. */

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { addPhoto } from "../photo";
import { fix } from "../position";
import { removePhoto } from "../storage";
import type { StepKind } from "../steps";
import { texts } from "../texts";
import type { ProofPart } from "../wire";
import type { Errors, TakenPhoto, Values } from "./form";
import { Field, announce } from "./parts";

/** The service stores at most this many photos with a step. */
const MAX_PHOTOS = 4;

interface Props {
  orderId: number;
  kind: StepKind;
  required: ReadonlySet<ProofPart>;
  values: Values;
  set: (part: Partial<Values>) => void;
  errors: Errors;
}

/** Required parts are open; optional ones are folded away. */
export function ProofFields(props: Props) {
  const t = texts.value.form;
  const { required, values, set, errors } = props;
  const isRequired = (part: ProofPart) => required.has(part);
  const parts: Record<"PHOTO" | "NAME" | "NOTE", JSX.Element> = {
    PHOTO: <Photos key="photo" {...props} />,
    NAME: (
      <Field
        key="name"
        id="step-name"
        label={props.kind === "deliver" ? t.receivedBy : t.handedTo}
        optional={!isRequired("NAME")}
        value={values.receivedBy}
        set={(receivedBy) => set({ receivedBy })}
        error={errors.NAME}
      />
    ),
    NOTE: (
      <Field
        key="note"
        id="step-note"
        label={t.note}
        optional={!isRequired("NOTE")}
        value={values.note}
        set={(note) => set({ note })}
        error={errors.NOTE}
        lines={2}
        max={1000}
      />
    ),
  };
  const names = Object.keys(parts) as (keyof typeof parts)[];
  const optional = names.filter((name) => !isRequired(name));
  return (
    <>
      {names.filter(isRequired).map((name) => parts[name])}
      {errors.POSITION !== undefined && fix.value === null && (
        <p class="error" role="alert">
          {errors.POSITION}
        </p>
      )}
      {optional.length > 0 && (
        <details class="optional">
          <summary>{t.addProof}</summary>
          <div class="stack">{optional.map((name) => parts[name])}</div>
        </details>
      )}
      {isRequired("POSITION") && <p class="dim">{t.position}</p>}
    </>
  );
}

function Photos(props: Props) {
  const t = texts.value.form;
  const { values, set, errors } = props;
  const [failure, setFailure] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const add = async (files: FileList | null) => {
    const file = files?.[0];
    if (file === undefined) return;
    setFailure("");
    try {
      const photo = await addPhoto(props.orderId, file);
      set({ photos: [...values.photos, photo] });
      announce(t.photoOf(values.photos.length + 1));
    } catch {
      setFailure(t.photoFailed);
    } finally {
      if (input.current !== null) input.current.value = "";
    }
  };
  const remove = (photo: TakenPhoto) => {
    URL.revokeObjectURL(photo.url);
    void removePhoto(photo.key);
    set({ photos: values.photos.filter((one) => one.key !== photo.key) });
    input.current?.focus();
  };
  const error = failure === "" ? errors.PHOTO : failure;
  return (
    <div class="field">
      <span class="label" id="photos-label">
        {t.photo}
        {!props.required.has("PHOTO") && <span class="dim"> ({t.optional})</span>}
      </span>
      {values.photos.length > 0 && (
        <ul class="photos" aria-labelledby="photos-label">
          {values.photos.map((photo, at) => (
            <li key={photo.key}>
              <img src={photo.url} alt={t.photoOf(at + 1)} />
              <button
                type="button"
                class="button plain"
                aria-label={t.removePhoto(at + 1)}
                onClick={() => remove(photo)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {values.photos.length < MAX_PHOTOS && (
        <label class="button plain camera">
          {t.takePhoto}
          <input
            ref={input}
            type="file"
            accept="image/*"
            capture="environment"
            class="file"
            id="step-photo"
            aria-invalid={error === undefined ? undefined : "true"}
            onChange={(event) => void add(event.currentTarget.files)}
          />
        </label>
      )}
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
