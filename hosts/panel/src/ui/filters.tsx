/** Filters of lists. */

/** A calendar day. Without `optional` the user cannot clear it. */
export function DayChoice(props: {
  label: string;
  value: string;
  set: (day: string) => void;
  min?: string;
  max?: string;
  optional?: boolean;
}) {
  const { label, value, min, max, optional = false } = props;
  return (
    <label class="inline">
      <span>{label}</span>
      <input
        type="date"
        value={value}
        min={min}
        max={max}
        onChange={(event) =>
          (optional || event.currentTarget.value !== "") && props.set(event.currentTarget.value)
        }
      />
    </label>
  );
}
