/** Bars and lines over time. The legend shows the figures of the time under the pointer, and else those of all. */
import { useState } from "preact/hooks"
import { tick } from "../Format.ts"
import { go } from "../Place.ts"
import { useWidth } from "./Width.ts"

export interface Series {
  readonly name: string
  /** One per time; null: nothing to show. */
  readonly values: ReadonlyArray<number | null>
  /** Of all times, as the legend shows it. */
  readonly whole: string
}

const USUAL_HEIGHT = 150
const BELOW = 18
const RIGHT = 4

/** A round number that is at least `value`. */
const roundUp = (value: number): number => {
  if (value <= 0) return 1
  const unit = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 2.5, 5, 10].find((step) => step * unit >= value) ?? 10) * unit
}

export const Chart = (props: {
  readonly kind: "bars" | "lines"
  readonly label: string
  /** Beginnings of the intervals, milliseconds. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  readonly show: (value: number) => string
  /** Pixels of what is drawn. */
  readonly height?: number
  /** Where the requests of a time are listed, from its beginning to its end. */
  readonly to?: (from: number, to: number) => string
}) => {
  const { height = USUAL_HEIGHT, kind, series, times } = props
  const { box, width } = useWidth()
  const [at, setAt] = useState<number | undefined>(undefined)
  const sumAt = (index: number) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
  const highest =
    kind === "bars"
      ? Math.max(0, ...times.map((_, index) => sumAt(index)))
      : Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const top = roundUp(highest)
  const gridLabel = props.show(top)
  const left = Math.max(30, gridLabel.length * 7.2 + 8)
  const step = (width - left - RIGHT) / Math.max(1, times.length)
  const x = (index: number) => left + index * step
  const y = (value: number) => height - (value / top) * (height - 10)
  const { to } = props
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const every = Math.max(1, Math.ceil(times.length / Math.max(2, Math.floor((width - left) / 110))))
  const shown = at !== undefined && at < times.length ? at : undefined
  /** The last interval is as long as the one before. */
  const lengthMs = times.length < 2 ? 3_600_000 : (times.at(-1) ?? 0) - (times.at(-2) ?? 0)
  const open = () => {
    const from = shown === undefined ? undefined : times[shown]
    if (to !== undefined && shown !== undefined && from !== undefined) go(to(from, times[shown + 1] ?? from + lengthMs))
  }
  const move = (by: number) => setAt(Math.min(times.length - 1, Math.max(0, (shown ?? times.length - 1) + by)))
  return (
    <div class="chart" ref={box}>
      <ul class="legend">
        {series.map(({ name, values, whole }, index) => (
          <li key={name}>
            <span class={`dot s${index}`} />
            {name}{" "}
            <b>
              {shown === undefined ? whole : (values[shown] ?? null) === null ? "–" : props.show(values[shown] ?? 0)}
            </b>
          </li>
        ))}
        <li class="when">{shown === undefined ? "" : when(times[shown] ?? 0, span)}</li>
      </ul>
      <svg
        viewBox={`0 0 ${width} ${height + BELOW}`}
        height={height + BELOW}
        role="img"
        aria-label={`${props.label}. ${series.map(({ name, whole }) => `${name}: ${whole}`).join(", ")}`}
        class={to === undefined ? undefined : "leads"}
        tabIndex={to === undefined ? undefined : 0}
        onClick={open}
        onKeyDown={(event) => {
          if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
            event.preventDefault()
            move(event.key === "ArrowLeft" ? -1 : 1)
          }
          if (event.key === "Enter") open()
        }}
        onBlur={() => setAt(undefined)}
        onMouseMove={(event) => {
          const bounds = event.currentTarget.getBoundingClientRect()
          const index = Math.floor((event.clientX - bounds.left - left) / step)
          setAt(index >= 0 && index < times.length ? index : undefined)
        }}
        onMouseLeave={() => setAt(undefined)}
      >
        {(height < 100 ? [0, 1] : [0, 0.5, 1]).map((share) => (
          <g key={share}>
            <line class="grid" x1={left} x2={width - RIGHT} y1={y(top * share)} y2={y(top * share)} />
            <text x={left - 6} y={y(top * share) + 4} text-anchor="end">
              {props.show(top * share)}
            </text>
          </g>
        ))}
        {times.map((time, index) =>
          index % every === 0 && x(index) < width - 40 ? (
            <text key={time} x={x(index)} y={height + 14}>
              {tick(time, span)}
            </text>
          ) : null
        )}
        {shown === undefined ? null : <rect class="cursor" x={x(shown)} width={step} y={0} height={height} />}
        {kind === "bars" ? <Bars series={series} count={times.length} x={x} y={y} step={step} /> : null}
        {kind === "lines"
          ? series.map(({ name, values }, index) => (
              <g key={name}>
                <path class={`line s${index}`} d={pathOf(values, (at) => x(at) + step / 2, y)} />
                {values.map((value, at) =>
                  value === null ? null : (
                    <circle
                      key={at}
                      class={`s${index}`}
                      cx={x(at) + step / 2}
                      cy={y(value)}
                      r={times.length > 60 ? 1.5 : 2.5}
                    />
                  )
                )}
              </g>
            ))
          : null}
      </svg>
    </div>
  )
}

/** The day too, where there is more than one. */
const when = (at: number, spanMs: number): string =>
  spanMs < 86_400_000 ? tick(at, 0) : `${tick(at, Number.MAX_VALUE)}, ${tick(at, 0)}`

const pathOf = (
  values: ReadonlyArray<number | null>,
  x: (index: number) => number,
  y: (value: number) => number
): string =>
  values
    .flatMap((value, index) => (value === null ? [] : [`${x(index).toFixed(1)},${y(value).toFixed(1)}`]))
    .map((point, index) => `${index === 0 ? "M" : "L"}${point}`)
    .join("")

const Bars = (props: {
  readonly series: ReadonlyArray<Series>
  readonly count: number
  readonly x: (index: number) => number
  readonly y: (value: number) => number
  readonly step: number
}) => (
  <>
    {Array.from({ length: props.count }, (_, index) => {
      let below = 0
      return (
        <g key={index}>
          {props.series.map(({ name, values }, place) => {
            const value = values[index] ?? 0
            if (value <= 0) return null
            const from = below
            below += value
            return (
              <rect
                key={name}
                class={`s${place}`}
                x={props.x(index) + Math.min(1, props.step * 0.12)}
                width={Math.max(1, Math.min(28, props.step * 0.78))}
                y={props.y(below)}
                height={Math.max(0.5, props.y(from) - props.y(below))}
              />
            )
          })}
        </g>
      )
    })}
  </>
)
