/** How a cell that holds something is read. */
import { Result } from "effect"
import type { Draft } from "../Draft.ts"
import { isObject, json, list } from "../ColumnValues.ts"

export type Column = (text: string, draft: Draft, name: string, options: { readonly timeZone: string }) => void

export type Columns = ReadonlyMap<string, Column>

export const read =
  <A>(
    as: (text: string) => Result.Result<A, string>,
    use: (value: A, draft: Draft, name: string, timeZone: string) => void
  ): Column =>
  (text, draft, name, { timeZone }) => {
    const value = as(text)
    if (Result.isSuccess(value)) use(value.success, draft, name, timeZone)
    else draft.account.wrong(name, `it should be ${value.failure}`)
  }

export const plain = (text: string) => Result.succeed(text)

export const notNeeded =
  (why: string): Column =>
  (_, { account }, name) =>
    account.notNeeded(name, why)

export const leftOut =
  (why: string): Column =>
  (_, { account }, name) =>
    account.leftOut(name, why)

export const allNotNeeded = (why: string, ...names: ReadonlyArray<string>) =>
  names.map((name) => [name, notNeeded(why)] as const)

/** Says nothing where the value is empty: `{}`, `[]`. */
export const ifAny = (then: (draft: Draft, name: string) => void): Column =>
  read(json, (value, draft, name) => {
    const isEmpty =
      value === null || (isObject(value) ? Object.keys(value).length === 0 : Array.isArray(value) && value.length === 0)
    if (!isEmpty) then(draft, name)
  })

export const ifAnyInList = (then: (draft: Draft, name: string, items: ReadonlyArray<string>) => void): Column =>
  read(list, (items, draft, name) => {
    if (items.length > 0) then(draft, name, items)
  })

/** Another row that this one names: what it means is known when all are read. */
export const names: Column = (text, draft, name) => void draft.ids.set(name, text.trim())

export const administration = "of LiteLLM's administration"
