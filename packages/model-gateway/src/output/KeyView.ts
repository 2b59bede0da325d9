/** Keys and teams as people read them. */
import { budgetInShort, budgetLines, limitsInWords, type ShownBudget, type ShownLimits } from "./LimitsView.ts"
import { type Column, pairs, table } from "./Table.ts"
import { list, orNothing, time } from "./TextOutput.ts"

export interface ShownKey {
  readonly id: string
  readonly name: string | null
  readonly team: string | null
  readonly models: ReadonlyArray<string>
  readonly limits: ShownLimits
  readonly budgets: ReadonlyArray<ShownBudget>
  readonly status: string
  readonly on_unknown_price: string
  readonly unknown_fields: string
  readonly require: { readonly region: ReadonlyArray<string>; readonly zdr: boolean }
  readonly cache?: { readonly mode?: string; readonly ttl_seconds?: number } | undefined
  readonly allow_from: ReadonlyArray<string>
  readonly owner: string | null
  readonly created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
  readonly tags: ReadonlyArray<string>
  readonly imported_secret?: { readonly valid_until: string | null } | undefined
}

const columns: ReadonlyArray<Column<ShownKey>> = [
  { title: "ID", value: (key) => orNothing(key.id) },
  { title: "NAME", value: (key) => orNothing(key.name), wraps: true },
  { title: "TEAM", value: (key) => orNothing(key.team), wraps: true },
  { title: "STATUS", value: (key) => orNothing(key.status) },
  { title: "BUDGET", value: (key) => budgetInShort(key.budgets), wraps: true },
  { title: "LAST USED (UTC)", value: (key) => time(key.last_used_at) }
]

export const keyTable = (keys: ReadonlyArray<ShownKey>): string => table(columns, keys)

/** Times are UTC. */
export const keyDetails = (key: ShownKey): string =>
  pairs([
    ["id", orNothing(key.id)],
    ["name", orNothing(key.name)],
    ["status", orNothing(key.status)],
    ["team", orNothing(key.team)],
    ["models", key.models.length === 0 ? "all" : list(key.models)],
    ["limits", limitsInWords(key.limits)],
    ...budgets(key.budgets),
    ["unpriced", key.on_unknown_price === "deny" ? "models without a known price are refused" : "allowed"],
    ["fields", `unknown ones are ${key.unknown_fields === "pass" ? "passed on" : "removed"} under a budget`],
    ["requires", requires(key.require)],
    ...(key.cache === undefined ? [] : [["cache", cacheInWords(key.cache)] as const]),
    ...(key.allow_from.length === 0 ? [] : [["used from", list(key.allow_from)] as const]),
    ...(key.owner === null ? [] : [["person", orNothing(key.owner)] as const]),
    ["tags", list(key.tags)],
    ...importedSecret(key),
    ["created", `${time(key.created_at)} UTC`],
    ["expires", key.expires_at === null ? "never" : `${time(key.expires_at)} UTC`],
    ...(key.revoked_at === null ? [] : [["revoked", `${time(key.revoked_at)} UTC`] as const]),
    ["last used", key.last_used_at === null ? "never" : `${time(key.last_used_at)} UTC`]
  ])

const cacheInWords = ({ mode, ttl_seconds: ttl }: NonNullable<ShownKey["cache"]>): string =>
  list([...(mode === undefined ? [] : [mode]), ...(ttl === undefined ? [] : [`for ${ttl} s`])])

const requires = ({ region, zdr }: ShownKey["require"]): string =>
  list([...(region.length === 0 ? [] : [`region ${region.join(" or ")}`]), ...(zdr ? ["zero data retention"] : [])])

const importedSecret = ({ imported_secret: secret }: ShownKey): ReadonlyArray<readonly [string, string]> => {
  if (secret === undefined) return []
  const until = secret.valid_until === null ? "until it is rotated" : `until ${time(secret.valid_until)} UTC`
  return [["opened by", `LiteLLM's secret of it (sk-…), ${until}`]]
}

interface ShownTeam {
  readonly team: string
  readonly limits: ShownLimits
  readonly budgets: ReadonlyArray<ShownBudget>
}

export const teamDetails = (team: ShownTeam): string =>
  pairs([["team", orNothing(team.team)], ["limits", limitsInWords(team.limits)], ...budgets(team.budgets)])

const budgets = (all: ReadonlyArray<ShownBudget>): ReadonlyArray<readonly [string, string]> =>
  all.length === 0
    ? [["budgets", "none"]]
    : budgetLines(all).map((line, index) => [index === 0 ? "budgets" : "", line] as const)
