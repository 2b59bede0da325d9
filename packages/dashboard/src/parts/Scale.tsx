/** A score on its way from 0 to 1, with the points where one bucket ends and the next begins. */
export const Scale = (props: {
  readonly score: number
  readonly cuts?: ReadonlyArray<number>
  readonly label: string
}) => {
  const { cuts = [], score } = props
  const x = (value: number) => 10 + value * 580
  return (
    <svg class="scale" viewBox="0 0 600 52" role="img" aria-label={props.label}>
      <rect class="track" x={10} y={22} width={580} height={8} rx={4} />
      <rect class="fill" x={10} y={22} width={Math.max(0, score * 580)} height={8} rx={4} />
      {cuts.map((cut) => (
        <g key={cut}>
          <line class="cut" x1={x(cut)} x2={x(cut)} y1={16} y2={36} />
          <text x={x(cut)} y={49} text-anchor="middle">
            {cut}
          </text>
        </g>
      ))}
      <circle class="point" cx={x(score)} cy={26} r={8} />
      <text class="value" x={Math.min(570, Math.max(26, x(score)))} y={12} text-anchor="middle">
        {score}
      </text>
    </svg>
  )
}

/** What moved the score up or down, strongest first. */
export const Weights = (props: { readonly weights: ReadonlyArray<readonly [name: string, weight: number]> }) => {
  const most = Math.max(0.0001, ...props.weights.map(([, weight]) => Math.abs(weight)))
  return (
    <ul class="weights">
      {props.weights.map(([name, weight]) => {
        const length = (Math.abs(weight) / most) * 49
        return (
          <li key={name}>
            <span>{name}</span>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <line class="axis" x1={50} x2={50} y1={0} y2={10} />
              <rect
                class={weight < 0 ? "down" : "up"}
                x={weight < 0 ? 50 - length : 50}
                y={2}
                width={length}
                height={6}
              />
            </svg>
            <span class="figure">{`${weight < 0 ? "−" : "+"}${Math.abs(weight).toFixed(2)}`}</span>
          </li>
        )
      })}
    </ul>
  )
}
