/** A curve as small as a word. Its figures are in its label, and on the pages that it stands for. */
export const Spark = (props: {
  readonly kind: "bars" | "line"
  readonly values: ReadonlyArray<number | null>
  /** The part of each bar that went wrong. */
  readonly bad?: ReadonlyArray<number | null>
  readonly label: string
}) => {
  const { bad = [], kind, values } = props
  const top = Math.max(...values.map((value) => value ?? 0))
  if (top <= 0) return <span class="muted">–</span>
  const step = 96 / values.length
  const height = (value: number | null | undefined) => ((value ?? 0) / top) * 20
  const points = values.flatMap((value, at) =>
    value === null ? [] : [`${((at + 0.5) * step).toFixed(1)},${(22 - height(value)).toFixed(1)}`]
  )
  return (
    <svg class="spark" viewBox="0 0 96 24" role="img" aria-label={props.label}>
      <title>{props.label}</title>
      {kind === "line" ? (
        <polyline class="s0" points={points.length === 1 ? `${points[0]} ${points[0]}` : points.join(" ")} />
      ) : (
        values.map((value, at) => (
          <g key={at}>
            <rect class="s0" x={at * step} width={step * 0.8} y={22 - height(value)} height={height(value)} />
            <rect class="bad" x={at * step} width={step * 0.8} y={22 - height(bad[at])} height={height(bad[at])} />
          </g>
        ))
      )}
    </svg>
  )
}
