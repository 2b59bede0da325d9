/** Names of models, their fallbacks, and which deployment of a name is asked. */
import type { Order } from "@model-gateway/gateway/internal/core/domain/Settings"
import type { Account } from "./source/ConfigAccount.ts"
import type { Cursor } from "./source/Cursor.ts"
import { looksSecret } from "./source/SourceSecrets.ts"

/** LiteLLM's routing strategies (https://docs.litellm.ai/docs/router/learn/strategies, read 2026-11-22). */
const strategies: { readonly [strategy: string]: { readonly order: Order; readonly note?: string } } = {
  "simple-shuffle": { order: "weight" },
  "least-busy": { order: "least_busy" },
  "latency-based-routing": { order: "latency" },
  "usage-based-routing": {
    order: "least_busy",
    note: "the fewest calls in flight stands in for the least tokens of the minute"
  },
  "usage-based-routing-v2": {
    order: "least_busy",
    note: "the fewest calls in flight stands in for the least tokens of the minute"
  },
  "cost-based-routing": { order: "cost" }
}

export const orderOf = (written: Cursor | undefined, account: Account): Order => {
  const known = strategies[written?.text ?? "simple-shuffle"]
  if (known === undefined) {
    account.say(
      written,
      "left_out",
      `there is no such strategy here; calls are spread by weight (others: ${["listed", "least_busy", "latency", "throughput", "cost", "priority"].join(", ")})`
    )
    return "weight"
  }
  account.say(
    written,
    known.note === undefined ? "carried" : "changed",
    known.note ?? "how a deployment of a name is chosen",
    "models: order"
  )
  return known.order
}

/** Where the names of all lists are told. `known`: the names that will exist. */
export class Fallbacks {
  private readonly rules = new Map<string, Array<string>>()
  private readonly forAll: Array<string> = []
  private readonly known: ReadonlySet<string>
  private readonly account: Account
  private readonly ofWildcard: (name: string) => string | undefined

  /** `ofWildcard`: the model, as `<provider>/<model>`, behind a name that only a wildcard serves. */
  constructor(known: ReadonlySet<string>, account: Account, ofWildcard: (name: string) => string | undefined) {
    this.known = known
    this.account = account
    this.ofWildcard = ofWildcard
  }

  /** Names with fallbacks that only a wildcard serves, and what they stand for. */
  get wild(): ReadonlyArray<readonly [name: string, target: string]> {
    return [...this.rules.keys()].flatMap((name) => {
      const target = this.known.has(name) ? undefined : this.ofWildcard(name)
      return target === undefined ? [] : [[name, target] as const]
    })
  }

  /** `[{ name: [others] }]`. `note`: what is not quite as it was. */
  add(written: Cursor | undefined, note?: string): void {
    const groups = written?.node.kind === "table" ? [written] : (written?.items ?? [])
    for (const [name, others] of groups.flatMap((group) => [...group.fields])) {
      if (name === "*") this.addForAll(others)
      else if (!this.known.has(name) && this.ofWildcard(name) === undefined)
        this.account.say(
          others,
          "left_out",
          "the model that it is a fallback of was not carried over, or is not in model_list"
        )
      else for (const other of listOf(others)) this.addOne(this.rulesOf(name), name, other, note)
    }
  }

  /** Those that stand at a model itself. */
  addTo(name: string, written: Cursor | undefined): void {
    for (const other of written === undefined ? [] : listOf(written)) this.addOne(this.rulesOf(name), name, other)
  }

  addForAll(written: Cursor | undefined): void {
    for (const other of written === undefined ? [] : listOf(written)) this.addOne(this.forAll, undefined, other)
  }

  /** Of one name, those of its fallbacks behind them, without itself. */
  of(name: string): ReadonlyArray<string> {
    const found: Array<string> = []
    const queue = [...(this.rules.get(name) ?? []), ...this.forAll]
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (next === name || found.includes(next)) continue
      found.push(next)
      queue.push(...(this.rules.get(next) ?? []))
    }
    return found
  }

  private rulesOf(name: string): Array<string> {
    const rules = this.rules.get(name) ?? []
    this.rules.set(name, rules)
    return rules
  }

  private addOne(rules: Array<string>, name: string | undefined, written: Cursor, note?: string): void {
    // A fallback with parameters of its own has its model in `model`.
    const other = written.field("model") ?? written
    const text = other.text
    if (text === undefined) return this.account.say(written, "left_out", "a fallback without a model")
    const target = this.known.has(text) ? text : this.ofWildcard(text)
    if (target === undefined || looksSecret(target)) {
      return this.account.say(other, "left_out", "this model was not carried over, or is not in model_list")
    }
    if (target === name) return this.account.say(other, "not_needed", "it is its own fallback")
    if (!rules.includes(target)) rules.push(target)
    this.account.say(
      other,
      note === undefined ? "carried" : "changed",
      note ?? "it is called when the others fail",
      name === undefined ? "models: fallbacks" : `models.${name}.fallbacks`
    )
  }
}

/** Fallbacks in these places that have parameters of their own, in place of a name. */
export const inlineIn = (written: Cursor | undefined): ReadonlyArray<Cursor> => {
  if (written === undefined) return []
  if (written.node.kind === "list") return written.items.flatMap(inlineIn)
  if (written.field("model") !== undefined) return [written]
  return [...written.fields.values()].flatMap(inlineIn)
}

const listOf = (written: Cursor): ReadonlyArray<Cursor> => (written.node.kind === "list" ? written.items : [written])

/** `model_group_alias`: other name → name. */
export const groupAliases = (
  written: Cursor | undefined,
  known: ReadonlySet<string>,
  account: Account
): ReadonlyMap<string, string> => {
  const aliases = new Map<string, string>()
  for (const [alias, value] of written?.fields ?? []) {
    const named = value.field("model") ?? value
    const target = named.text ?? ""
    if (!known.has(target)) account.say(value, "left_out", "this model was not carried over, or is not in model_list")
    else if (known.has(alias) || alias === "auto" || looksSecret(alias))
      account.say(value, "left_out", "a model of that name is there already")
    else {
      aliases.set(alias, target)
      account.say(named, "carried", "another name of a model", `models.${alias}`)
      account.say(value.field("hidden"), "left_out", "all names are in GET /v1/models, but those with a * in them")
    }
  }
  return aliases
}
