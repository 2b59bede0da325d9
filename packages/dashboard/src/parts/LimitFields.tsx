/** The fields of a form for limits and budgets, which keys and teams have alike. */
import type { BudgetInput, Key, LimitsInput } from "@model-gateway/protocol"
import { useState } from "preact/hooks"

const windows = ["month", "week", "day", "hour", "total"] as const

type Given = Pick<Key, "limits"> & { readonly budgets: ReadonlyArray<BudgetInput> }

const hereZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const LimitFields = ({ budgets = [], limits }: Partial<Given>) => {
  const [rows, setRows] = useState(budgets.length === 0 ? [{ id: 0 }] : budgets.map((budget, id) => ({ id, budget })))
  return (
    <>
      <div class="triple">
        <label>
          Requests per minute
          <input name="rpm" type="number" min="1" placeholder="no limit" defaultValue={limits?.rpm ?? ""} />
        </label>
        <label>
          Tokens per minute
          <input name="tpm" type="number" min="1" placeholder="no limit" defaultValue={limits?.tpm ?? ""} />
        </label>
        <label>
          Parallel requests
          <input
            name="max_parallel"
            type="number"
            min="1"
            placeholder="no limit"
            defaultValue={limits?.max_parallel ?? ""}
          />
        </label>
      </div>
      {rows.map(({ id, ...row }) => {
        const budget = "budget" in row ? row.budget : undefined
        return (
          <div key={id} class="triple">
            <label>
              Budget, USD
              <input
                name="usd"
                type="number"
                min="0"
                step="any"
                placeholder="no budget"
                defaultValue={budget === undefined ? "" : budget.usd}
              />
            </label>
            <label>
              per
              <select name="window">
                {windows.map((one) => (
                  <option key={one} value={one} selected={one === (budget?.window ?? "month")}>
                    {one}
                  </option>
                ))}
              </select>
            </label>
            <label>
              in the time zone
              <input name="time_zone" defaultValue={budget?.time_zone ?? hereZone()} />
            </label>
          </div>
        )
      })}
      <p>
        <button type="button" onClick={() => setRows([...rows, { id: rows.length }])}>
          Add a budget
        </button>
      </p>
    </>
  )
}

export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? "").trim()

export const listIn = (form: FormData, name: string): ReadonlyArray<string> =>
  textIn(form, name)
    .split(/[\s,]+/)
    .filter((one) => one !== "")

/** A field left empty is no limit, and a budget without an amount is none. */
export const limitsIn = (
  form: FormData
): { readonly limits: LimitsInput; readonly budgets: ReadonlyArray<BudgetInput> } => {
  const number = (name: string) => (textIn(form, name) === "" ? null : Number(textIn(form, name)))
  const all = (name: string) => form.getAll(name).map((value) => String(value).trim())
  const [amounts, names, zones] = [all("usd"), all("window"), all("time_zone")]
  const budgets = amounts.flatMap((usd, index) => {
    const window = windows.find((one) => one === names[index])
    if (usd === "" || window === undefined) return []
    const zone = zones[index] ?? ""
    return [{ usd: Number(usd), window, ...(zone === "" ? {} : { time_zone: zone }) }]
  })
  return { limits: { rpm: number("rpm"), tpm: number("tpm"), max_parallel: number("max_parallel") }, budgets }
}
