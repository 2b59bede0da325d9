/** How many are in each class: of times, whose scale grows by a third from class to class, or of scores. */
import { useState } from "preact/hooks"
import { count } from "../Format.ts"
import { useWidth } from "./Width.ts"

export interface Class {
  readonly from: number
  readonly to: number
  readonly count: number
}

const HEIGHT = 150
const BELOW = 18
const RATIO = 1.331

/** Those between two that hold something are shown too: a gap is to be seen. */
const withGaps = (classes: ReadonlyArray<Class>): ReadonlyArray<Class> =>
  classes.flatMap((one, index) => {
    const before = classes[index - 1]
    if (before === undefined || before.from === 0) return [one]
    const missing = Math.min(40, Math.round(Math.log(one.from / before.to) / Math.log(RATIO)))
    const gap = Array.from({ length: Math.max(0, missing) }, (_, place) => ({
      from: before.to * RATIO ** place,
      to: before.to * RATIO ** (place + 1),
      count: 0
    }))
    return [...gap, one]
  })

export const Histogram = (props: {
  readonly label: string
  readonly classes: ReadonlyArray<Class>
  readonly show: (value: number) => string
  /** All classes are there, and equally wide. */
  readonly isWhole?: boolean
  /** Values that are marked, such as cut points. */
  readonly marks?: ReadonlyArray<number>
}) => {
  const { isWhole = false, marks = [], show } = props
  const { box, width } = useWidth()
  const [at, setAt] = useState<number | undefined>(undefined)
  const classes = isWhole ? props.classes : withGaps(props.classes)
  const all = classes.reduce((sum, one) => sum + one.count, 0)
  const most = Math.max(1, ...classes.map((one) => one.count))
  const step = width / Math.max(1, classes.length)
  const every = Math.max(1, Math.ceil(classes.length / Math.max(2, Math.floor(width / 70))))
  const first = classes[0]?.from ?? 0
  const span = (classes.at(-1)?.to ?? 1) - first
  const shown = at === undefined ? undefined : classes[at]
  return (
    <div class="chart" ref={box}>
      <ul class="legend">
        <li>
          {shown === undefined ? "in all " : `${show(shown.from)} to ${show(shown.to)} `}
          <b>{count(shown?.count ?? all)}</b>
        </li>
      </ul>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT + BELOW}`}
        height={HEIGHT + BELOW}
        role="img"
        aria-label={`${props.label}. ${props.classes
          .filter((one) => one.count > 0)
          .map((one) => `${show(one.from)} to ${show(one.to)}: ${one.count}`)
          .join(", ")}`}
        onMouseMove={(event) => {
          const bounds = event.currentTarget.getBoundingClientRect()
          setAt(Math.floor((event.clientX - bounds.left) / step))
        }}
        onMouseLeave={() => setAt(undefined)}
      >
        <line class="grid" x1={0} x2={width} y1={HEIGHT} y2={HEIGHT} />
        {classes.map((one, index) => {
          const height = one.count === 0 ? 0 : Math.max(2, (one.count / most) * (HEIGHT - 10))
          return (
            <g key={one.from}>
              <rect
                class="s0"
                x={index * step + Math.min(2, step * 0.1)}
                width={Math.max(1, Math.min(46, step * 0.84))}
                y={HEIGHT - height}
                height={height}
              />
              {index % every === 0 ? (
                <text x={index * step} y={HEIGHT + 14}>
                  {show(one.from)}
                </text>
              ) : null}
            </g>
          )
        })}
        {marks.map((mark) => {
          const x = ((mark - first) / span) * width
          return <line key={mark} class="mark" x1={x} x2={x} y1={4} y2={HEIGHT} />
        })}
      </svg>
    </div>
  )
}
