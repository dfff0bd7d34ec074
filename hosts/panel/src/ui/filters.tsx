/** Filters of lists. */

/** A required calendar day. */
export function DayChoice(props: { label: string; value: string; set: (day: string) => void; min?: string; max?: string }) {
  const { label, value, min, max } = props;
  return (
    <label class="inline">
      <span>{label}</span>
      <input type="date" value={value} min={min} max={max} onChange={(event) => event.currentTarget.value && props.set(event.currentTarget.value)} />
    </label>
  );
}
