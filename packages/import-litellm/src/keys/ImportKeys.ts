/** Keys of a table into the store, with their own secrets or with new ones. */
import { Effect } from "effect"
import type { Actor } from "@model-gateway/gateway/internal/core/domain/Actor"
import type { NewAuditEntry } from "@model-gateway/gateway/internal/core/domain/AuditRepository"
import * as Credential from "@model-gateway/gateway/internal/core/keys/Credential"
import { type ImportedKey, type ImportedTeam, KeyImports } from "../store/KeyImports.ts"
import { KeyRepository, type StoredKey } from "@model-gateway/gateway/internal/core/keys/KeyRepository"
import { freshKey } from "@model-gateway/gateway/internal/core/keys/NewKey"
import { keySettings } from "@model-gateway/gateway/internal/http/records/KeyRecords"
import { budgetInput, wireLimits } from "@model-gateway/gateway/internal/http/records/Limits"
import { wireRules } from "@model-gateway/gateway/internal/http/records/ScopeRecords"
import type { Place } from "./KeysAccount.ts"
import type { Candidate, TeamCandidate } from "./Draft.ts"

export const commandLine: Actor = { kind: "command_line", id: "command_line", address: "" }

interface Prepared {
  readonly candidate: Candidate
  readonly id: string
  /** Undefined where callers keep what they have. */
  readonly secret: string | undefined
}

/** Those that are not in the store yet. */
export const prepare = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>, keepSecrets: boolean) {
  const repository = yield* KeyRepository
  const pepper = yield* repository.pepper
  const there = new Set<string>()
  for (let page = yield* repository.ids(""); ; page = yield* repository.ids(page.ids.at(-1) ?? "")) {
    for (const id of page.ids) there.add(id)
    if (!page.hasMore) break
  }
  return candidates.flatMap((candidate): ReadonlyArray<Prepared> => {
    const id = Credential.idOfLitellm(pepper, candidate.digest)
    if (there.has(id)) return []
    return [{ candidate, id, secret: keepSecrets ? undefined : Credential.generateFor(id) }]
  })
})

/** All of them with their teams, or none. */
export const commit = Effect.fnUntraced(function* (
  prepared: ReadonlyArray<Prepared>,
  teams: ReadonlyArray<TeamCandidate>,
  now: number
) {
  const repository = yield* KeyRepository
  const pepper = yield* repository.pepper
  const imports = yield* KeyImports
  const entry = (action: "keys.import" | "teams.put", target: string, after: unknown): NewAuditEntry => ({
    at: now,
    actor: commandLine,
    action,
    target,
    before: null,
    after
  })
  const imported = ({ candidate, id, secret }: Prepared): ImportedKey => {
    const key: StoredKey = {
      ...freshKey(id, now, candidate.key),
      disabled: candidate.isDisabled,
      secrets: [
        secret === undefined
          ? { hash: Credential.hash(pepper, candidate.digest), validUntil: null, from: "litellm" }
          : { hash: Credential.hash(pepper, secret), validUntil: null }
      ]
    }
    return { key, spent: candidate.spent, entry: entry("keys.import", id, keySettings({ key, team: undefined }, now)) }
  }
  const importedTeam = ({ budgets, limits, modelRules, name, spent }: TeamCandidate): ImportedTeam => {
    const rules =
      modelRules.length === 0 ? undefined : { modelRules, perEndUser: null, perSession: null, endUser: null }
    const after = { limits: wireLimits(limits), budgets: budgets.map(budgetInput), ...wireRules(rules) }
    return { team: { name, limits, budgets, rules, updatedAt: now }, spent, entry: entry("teams.put", name, after) }
  }
  return yield* imports.add({ keys: prepared.map(imported), teams: teams.map(importedTeam) }, now)
})

const rowOf = (at: Place): string => ("line" in at ? String(at.line) : at.row)

/** The new secrets, as a table: it is the only place where they are. */
export const secretsAsCsv = (prepared: ReadonlyArray<Prepared>): string => {
  const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  // A spreadsheet would take some texts for formulas.
  const named = (text: string | null | undefined) => cell((text ?? "").replace(/^[=+\-@]/, "'$&"))
  const rows = prepared.map(({ candidate, id, secret }) =>
    [named(rowOf(candidate.at)), id, named(candidate.key.name), named(candidate.key.team), secret ?? ""].join(",")
  )
  return `${["row,id,name,team,key", ...rows].join("\n")}\n`
}
