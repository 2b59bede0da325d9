/** Budgets, and how much is left of them. */
import type { BudgetUse, Key } from "@model-gateway/protocol"
import { moment, percent, usd, words } from "../Format.ts"
import { Link, Meter, Name } from "./Parts.tsx"

export const BudgetTable = ({ budgets }: { readonly budgets: ReadonlyArray<BudgetUse> }) => (
  <div class="table">
    <table>
      <thead>
        <tr>
          <th>Of</th>
          <th>Window</th>
          <th>Used</th>
          <th class="number">Left</th>
          <th title="At the rate of the last hour, within its window">Runs out</th>
        </tr>
      </thead>
      <tbody>
        {budgets.map((one) => (
          <tr key={`${one.scope} ${one.id} ${one.window} ${one.time_zone}`}>
            <td>
              {one.scope === "key" ? (
                <Link to={`keys/${one.id}`}>
                  <Name of={one.name ?? one.id} />
                </Link>
              ) : (
                <>
                  {words(one.scope)} <Name of={one.id} />
                </>
              )}
            </td>
            <td>{`${usd(one.usd)} / ${one.window}`}</td>
            <td class="used">
              <Meter share={one.used} label={`${percent(one.used)} used`} /> {percent(one.used)}
            </td>
            <td class="number">{usd(one.remaining_usd)}</td>
            <td title={one.runs_out_at ?? undefined}>{one.runs_out_at === null ? "–" : moment(one.runs_out_at)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** The one that is nearest to its end. */
export const Fullest = ({ budgets }: Pick<Key, "budgets">) => {
  const [fullest] = budgets.toSorted((a, b) => b.spent_usd / b.usd - a.spent_usd / a.usd)
  if (fullest === undefined) return <>no budget</>
  const share = fullest.spent_usd / fullest.usd
  return (
    <>
      <Meter share={share} label={`${percent(share)} used`} />{" "}
      {`${usd(fullest.spent_usd)} of ${usd(fullest.usd)} / ${fullest.window}`}
    </>
  )
}
