/** Budgets, and how much is left of them. */
import type { BudgetUse } from "@model-gateway/protocol"
import { dateAndTime, percent, usd } from "../Format.ts"
import { Link, Meter } from "./Parts.tsx"

export const BudgetTable = ({ budgets }: { readonly budgets: ReadonlyArray<BudgetUse> }) => (
  <div class="table">
    <table>
      <thead>
        <tr>
          <th>Of</th>
          <th>Window</th>
          <th>Used</th>
          <th class="number">Left</th>
          <th>Used up</th>
        </tr>
      </thead>
      <tbody>
        {budgets.map((one) => (
          <tr key={`${one.scope} ${one.id} ${one.window} ${one.time_zone}`}>
            <td>{one.scope === "key" ? <Link to={`keys/${one.id}`}>{one.name ?? one.id}</Link> : `team ${one.id}`}</td>
            <td>{`${usd(one.usd)} / ${one.window}`}</td>
            <td class="used">
              <Meter share={one.used} label={`${percent(one.used)} used`} /> {percent(one.used)}
            </td>
            <td class="number">{usd(one.remaining_usd)}</td>
            <td>{one.runs_out_at === null ? "not in this window" : dateAndTime(one.runs_out_at)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
