/** The opening hours of a store: a row for each period of the week, and one for each date with other hours. */

import { useState } from "preact/hooks";
import { policies } from "../api/client";
import type { HoursException, OpeningPeriod, StoreHours } from "../api/wire";
import { day } from "../format";
import { nextHolidays } from "../holidays";
import { decimal } from "../numbers";
import { zone } from "../session";
import {
  CheckField,
  CheckList,
  ErrorBox,
  FieldErrors,
  FieldGroup,
  TextField,
  fieldErrorsOf,
} from "../ui/field";
import { useSubmit } from "../ui/submit";
import { createTexts } from "../i18n/create";
import { peopleTexts } from "../i18n/people";

const DAYS: readonly string[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

export function HoursForm(props: {
  id: number;
  value: StoreHours;
  onSaved: (saved: StoreHours) => void;
}) {
  const t = peopleTexts.value;
  const [hours, setHours] = useState(props.value.hours ?? []);
  const [dates, setDates] = useState(props.value.exceptions ?? []);
  const [preparation, setPreparation] = useState(typedMinutes(props.value));
  const period = (at: number, part: Partial<OpeningPeriod>) =>
    setHours((before) => before.map((one, index) => (index === at ? { ...one, ...part } : one)));
  const date = (at: number, part: Partial<HoursException>) =>
    setDates((before) => before.map((one, index) => (index === at ? { ...one, ...part } : one)));
  /** Adds the holidays of the next twelve months that have no row yet. */
  const addHolidays = () => {
    const fresh = nextHolidays(day(new Date(), zone.value)).filter(
      (holiday) => !dates.some((one) => one.date === holiday.date),
    );
    const closed = { closed: true, from: null, until: null } as const;
    setDates([...dates, ...fresh.map((holiday) => ({ ...holiday, ...closed }))]);
  };
  const form = useSubmit(
    () =>
      policies.setHours(props.id, {
        hours,
        exceptions: dates,
        preparationTime: decimal(preparation) ?? null,
      }),
    props.onSaved,
  );
  return (
    <form class="card hours" onSubmit={form.submit} noValidate data-testid="hours">
      <h2>{t.hours}</h2>
      <p class="hint">{t.hoursHint}</p>
      <FieldErrors.Provider value={fieldErrorsOf(form.error)}>
        <ErrorBox error={form.error} />
        {hours.map((one, at) => (
          <FieldGroup key={at} class="rule" pointer={`/hours/${at}`} label={t.period(at + 1)}>
            <Days
              pointer={`/hours/${at}/days`}
              legend={t.period(at + 1)}
              chosen={one.days ?? []}
              set={(days) => period(at, { days })}
            />
            <div class="grid windows">
              <TextField
                pointer={`/hours/${at}/from`}
                label={t.opens}
                value={one.from}
                set={(from) => period(at, { from })}
                max={5}
              />
              <TextField
                pointer={`/hours/${at}/until`}
                label={t.closes}
                value={one.until}
                set={(until) => period(at, { until })}
                max={5}
              />
            </div>
            <button
              type="button"
              class="button small"
              onClick={() => setHours(hours.filter((_, index) => index !== at))}
            >
              {t.removePeriod}
            </button>
          </FieldGroup>
        ))}
        {dates.map((one, at) => (
          <div key={at} class="rule">
            <div class="grid windows">
              <TextField
                pointer={`/exceptions/${at}/date`}
                label={t.date}
                type="date"
                value={one.date}
                set={(value) => date(at, { date: value })}
              />
              <TextField
                pointer={`/exceptions/${at}/name`}
                label={t.dateName}
                optional
                value={one.name ?? ""}
                set={(name) => date(at, { name: name || null })}
                max={60}
              />
            </div>
            <CheckField
              pointer={`/exceptions/${at}/closed`}
              label={t.closed}
              value={one.closed === true}
              set={(closed) => date(at, closed ? { closed, from: null, until: null } : { closed })}
            />
            {one.closed !== true && (
              <div class="grid windows">
                <TextField
                  pointer={`/exceptions/${at}/from`}
                  label={t.opens}
                  value={one.from ?? ""}
                  set={(from) => date(at, { from })}
                  max={5}
                />
                <TextField
                  pointer={`/exceptions/${at}/until`}
                  label={t.closes}
                  value={one.until ?? ""}
                  set={(until) => date(at, { until })}
                  max={5}
                />
              </div>
            )}
            <button
              type="button"
              class="button small"
              onClick={() => setDates(dates.filter((_, index) => index !== at))}
            >
              {t.removeDate}
            </button>
          </div>
        ))}
        <TextField
          pointer="/preparationTime"
          label={createTexts.value.preparation}
          hint={t.preparationHint}
          optional
          value={preparation}
          set={setPreparation}
          mode="numeric"
          max={4}
        />
      </FieldErrors.Provider>
      <div class="row">
        <button
          type="button"
          class="button"
          onClick={() => setHours([...hours, { days: [...DAYS], from: "11:00", until: "23:00" }])}
        >
          {t.addPeriod}
        </button>
        <button
          type="button"
          class="button"
          onClick={() =>
            setDates([...dates, { date: "", closed: true, from: null, until: null, name: null }])
          }
        >
          {t.addDate}
        </button>
        <button type="button" class="button" onClick={addHolidays}>
          {t.addHolidays}
        </button>
        <button type="submit" class="button primary" aria-disabled={form.busy}>
          {t.save}
        </button>
      </div>
    </form>
  );
}

const typedMinutes = (of: StoreHours): string => of.preparationTime?.toString() ?? "";

/** No selected day means every day, as in the API. */
function Days(props: {
  pointer: string;
  legend: string;
  chosen: readonly string[];
  set: (days: string[]) => void;
}) {
  const names: Record<string, string> = peopleTexts.value.days;
  const chosen = props.chosen.length === 0 ? DAYS : props.chosen;
  return (
    <CheckList
      pointer={props.pointer}
      class="weekdays"
      legend={props.legend}
      all={DAYS}
      name={(day) => names[day]}
      chosen={chosen}
      set={props.set}
    />
  );
}
