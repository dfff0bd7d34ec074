/** A chart of figures by day, operated with the pointer, the keyboard or a screen reader. */

import { useEffect, useRef, useState } from "preact/hooks";
import "../styles/chart.css";

export interface Series {
  name: string;
  /** The colour: a class of chart.css. */
  tone: "accent" | "good" | "warn" | "bad" | "move" | "rest";
  values: readonly (number | null)[];
}

interface Props {
  title: string;
  hint?: string;
  /** Stacked bars, or lines that are interrupted where a value is missing. */
  kind: "bars" | "lines";
  /** The names of the days, such as `21/11`. */
  days: readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
  /** The text of a missing value. */
  none: string;
  /** How the keyboard operates the chart. */
  keys: string;
  /** Whether only whole numbers occur. */
  whole?: boolean;
}

const HEIGHT = 200;
const TOP = 8;
const BOTTOM = 22;
const LABEL_WIDTH = 48;
const MAX_BAR = 36;

/** Returns the ticks of an axis from 0 to at least the value. */
function ticks(max: number, whole: boolean): number[] {
  const target = Math.max(max, whole ? 1 : 0.01) / 4;
  const power = 10 ** Math.floor(Math.log10(target));
  const step = Math.max(
    [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= target) ?? power * 10,
    whole ? 1 : 0,
  );
  const exact = whole ? Math.ceil(step) : step;
  const count = Math.max(1, Math.ceil(max / exact));
  return Array.from({ length: count + 1 }, (_, at) => at * exact);
}

function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    if (box.current === null) return;
    const watch = new ResizeObserver((entries) => {
      const found = Math.round(entries[0]?.contentRect.width ?? 0);
      if (found > 0) setWidth(found);
    });
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return { box, width };
}

export function Chart(props: Props) {
  const { days, series, format } = props;
  const { box, width } = useWidth();
  const [chosen, setChosen] = useState(days.length - 1);
  const at = Math.min(Math.max(chosen, 0), days.length - 1);
  const text = (one: Series) => {
    const value = one.values[at] ?? null;
    return `${one.name}: ${value === null ? props.none : format(value)}`;
  };
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -7,
      PageUp: 7,
      Home: -days.length,
      End: days.length,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setChosen(Math.min(Math.max(at + step, 0), days.length - 1));
  };
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{props.title}</h2>
        {props.hint !== undefined && <p class="hint">{props.hint}</p>}
      </figcaption>
      <p class="chart-values" aria-hidden="true">
        <strong class="number">{days[at]}</strong>
        {series.map((one) => (
          <span key={one.name} class="number">
            <i class={`key ${one.tone}`} /> {text(one)}
          </span>
        ))}
      </p>
      <div
        ref={box}
        class="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${props.title}. ${props.keys}`}
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={at + 1}
        aria-valuetext={[days[at], ...series.map(text)].join(", ")}
        onKeyDown={move}
      >
        <Plot {...props} width={width} at={at} choose={setChosen} />
      </div>
    </figure>
  );
}

function Plot(props: Props & { width: number; at: number; choose: (at: number) => void }) {
  const { days, series, width, format } = props;
  const sums = days.map((_, at) =>
    series.reduce(
      (total, one) =>
        props.kind === "bars"
          ? total + (one.values[at] ?? 0)
          : Math.max(total, one.values[at] ?? 0),
      0,
    ),
  );
  const scale = ticks(Math.max(0, ...sums), props.whole === true);
  const top = scale.at(-1) ?? 1;
  // Digits are about 6.5 pixels wide.
  const left = 12 + 6.5 * Math.max(...scale.map((tick) => format(tick).length));
  const band = (width - left) / days.length;
  const x = (at: number) => left + band * (at + 0.5);
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / band));
  const pick = (event: PointerEvent) => {
    const bounds = (event.currentTarget as Element).getBoundingClientRect();
    const found = Math.floor(
      ((event.clientX - bounds.left) * (width / bounds.width) - left) / band,
    );
    props.choose(Math.min(Math.max(found, 0), days.length - 1));
  };
  return (
    <svg
      viewBox={`0 0 ${width} ${HEIGHT}`}
      aria-hidden="true"
      onPointerMove={pick}
      onPointerDown={pick}
    >
      <rect
        class="chosen"
        x={x(props.at) - band / 2}
        y={TOP}
        width={band}
        height={HEIGHT - TOP - BOTTOM}
      />
      {scale.map((tick) => (
        <g key={tick}>
          <line
            class={tick === 0 ? "axis" : "tick"}
            x1={left}
            x2={width}
            y1={y(tick)}
            y2={y(tick)}
          />
          <text x={left - 6} y={y(tick)} dy="0.32em" text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {days.map(
        (day, at) =>
          (days.length - 1 - at) % every === 0 &&
          x(at) > left + 12 && (
            <text key={day} x={Math.min(x(at), width - 16)} y={HEIGHT - 6} text-anchor="middle">
              {day}
            </text>
          ),
      )}
      {props.kind === "bars" ? (
        <Bars
          days={days}
          series={series}
          x={x}
          y={y}
          size={Math.max(1, Math.min(MAX_BAR, band * 0.72))}
        />
      ) : (
        <Lines series={series} x={x} y={y} />
      )}
    </svg>
  );
}

type Scale = (value: number) => number;

function Bars(props: {
  days: readonly string[];
  series: readonly Series[];
  x: Scale;
  y: Scale;
  size: number;
}) {
  const { series, x, y, size } = props;
  return (
    <>
      {props.days.map((day, at) => {
        let below = 0;
        return series.map((one) => {
          const value = one.values[at] ?? 0;
          below += value;
          return (
            value > 0 && (
              <rect
                key={day + one.name}
                class={`bar ${one.tone}`}
                x={x(at) - size / 2}
                y={y(below)}
                width={size}
                height={y(below - value) - y(below)}
              />
            )
          );
        });
      })}
    </>
  );
}

function Lines(props: { series: readonly Series[]; x: Scale; y: Scale }) {
  const { x, y } = props;
  return (
    <>
      {props.series.map((one) => {
        const points = one.values.map((value, at) =>
          value === null ? null : ([x(at), y(value)] as const),
        );
        const path = points
          .map((point, at) =>
            point === null
              ? ""
              : `${points[at - 1] == null ? "M" : "L"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`,
          )
          .join("");
        return (
          <g key={one.name} class={`line ${one.tone}`}>
            <path d={path} />
            {points.map(
              (point, at) =>
                point !== null && <circle key={at} cx={point[0]} cy={point[1]} r="2.5" />,
            )}
          </g>
        );
      })}
    </>
  );
}
