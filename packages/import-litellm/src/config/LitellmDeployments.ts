/** `deployments` of the new file. Entries that are the same in all but their name are one. */
import type { Account } from "./source/ConfigAccount.ts"
import type { Cursor } from "./source/Cursor.ts"
import type { Entry } from "./LitellmModels.ts"
import type { Fields } from "./LitellmProviders.ts"

export class Deployments {
  readonly written: Array<string | Fields> = []
  private readonly byIdentity = new Map<string, { readonly id: string; readonly names: Set<string> }>()
  private readonly taken: Set<string>
  private readonly ids = new Map<Cursor, string>()

  /** `names`: those of aliases, which no id may be. */
  constructor(names: ReadonlySet<string>) {
    this.taken = new Set([...names, "auto"])
  }

  /** Its id. `alone`: the name that it may have, as it is all that stands behind it. */
  add(entry: Entry, weight: number | undefined, alone: string | undefined, account: Account): string {
    const id = this.place(entry, weight, alone, account)
    this.ids.set(entry.cursor, id)
    return id
  }

  idOf(cursor: Cursor): string | undefined {
    return this.ids.get(cursor)
  }

  private place(
    { fields, model, name, params, provider }: Entry,
    weight: number | undefined,
    alone: string | undefined,
    account: Account
  ): string {
    const shared = { ...fields, ...weightOf(weight), ...this.priority(params, account) }
    const identity = JSON.stringify([provider, model, shared])
    const same = this.byIdentity.get(identity)
    // Twice under one name it has two shares of its calls.
    if (same !== undefined && !same.names.has(name)) {
      same.names.add(name)
      return same.id
    }
    const usual = `${provider}/${model}`
    let id = usual
    const isFree = () => !this.taken.has(id) || (id === alone && !this.written.some((one) => idOf(one) === id))
    for (let count = 2; !isFree(); count++) id = `${usual}-${count}`
    this.taken.add(id)
    this.byIdentity.set(identity, { id, names: new Set([name]) })
    const isShort = id === usual && Object.keys(shared).length === 0
    this.written.push(isShort ? id : { ...(id === usual ? {} : { id }), provider, model, ...shared })
    return id
  }

  private priority(params: ReadonlyMap<string, Cursor>, account: Account): Fields {
    const found = params.get("order")
    const value = found?.number
    const fits = value !== undefined && Number.isInteger(value) && value >= 0 && value <= 1_000_000
    account.say(found, fits ? "carried" : "left_out", "lower first", "deployments: priority")
    return fits ? { priority: value } : {}
  }
}

const weightOf = (weight: number | undefined): Fields => (weight === undefined || weight === 1 ? {} : { weight })

const idOf = (one: string | Fields): string =>
  typeof one === "string" ? one : String(one["id"] ?? `${String(one["provider"])}/${String(one["model"])}`)
