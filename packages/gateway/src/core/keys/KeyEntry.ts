/** A key in memory. There may be a million of them, so an entry is as small as possible and shares equal values. */
import type { Caller, Team } from "./Caller.ts"
import type { Interner } from "../collections/Interner.ts"
import type { KeyRecord, SecretHash, StoredKey } from "./KeyRepository.ts"

/** A key that was not used for this long is dropped from memory and read again on its next use. */
const FORGET_AFTER_MINUTES = 10

const minuteOf = (now: number): number => Math.floor(now / 60_000)

/** What is told of a key: everything but its secrets. */
export const toRecord = ({ secrets, ...record }: StoredKey): KeyRecord => ({
  ...record,
  importedSecret: importedSecretOf(secrets)
})

const importedSecretOf = (secrets: ReadonlyArray<SecretHash>): KeyRecord["importedSecret"] => {
  for (const { from, validUntil } of secrets) if (from !== undefined) return { from, validUntil }
  return undefined
}

interface NewEntry {
  readonly stored: StoredKey
  readonly lastUsedAt: number | null
  readonly team: Team | undefined
  readonly shared: Interner
  readonly now: number
}

export class KeyEntry {
  caller: Caller
  /** Nearly always one secret. A list of one would cost as much as team, limits and budgets together. */
  private readonly kept: SecretHash | ReadonlyArray<SecretHash>
  private readonly team: Team | undefined
  /** In minutes: a small integer needs no object of its own. */
  private usedAt: number

  constructor({ lastUsedAt, now, shared, stored, team }: NewEntry) {
    const key: KeyRecord = {
      id: stored.id,
      name: stored.name,
      team: shared.of("team", stored.team),
      models: shared.of("models", stored.models),
      limits: shared.of("limits", stored.limits),
      budgets: shared.of("budgets", stored.budgets),
      tags: shared.of("tags", stored.tags),
      metadata: shared.of("metadata", stored.metadata),
      onUnknownPrice: shared.of("onUnknownPrice", stored.onUnknownPrice),
      unknownFields: shared.of("unknownFields", stored.unknownFields),
      rules: stored.rules && shared.of("rules", stored.rules),
      require: shared.of("require", stored.require),
      holder: stored.holder && shared.of("holder", stored.holder),
      allowFrom: stored.allowFrom && shared.of("allowFrom", stored.allowFrom),
      isSuspended: stored.isSuspended,
      disabled: stored.disabled,
      createdAt: stored.createdAt,
      updatedAt: stored.updatedAt,
      expiresAt: stored.expiresAt,
      revokedAt: stored.revokedAt,
      lastUsedAt,
      importedSecret: importedSecretOf(stored.secrets)
    }
    this.caller = { key, team: team?.record }
    this.kept = stored.secrets.length === 1 ? stored.secrets[0]! : stored.secrets
    this.team = team
    this.usedAt = minuteOf(now)
  }

  get secrets(): ReadonlyArray<SecretHash> {
    return "hash" in this.kept ? [this.kept] : this.kept
  }

  get stored(): StoredKey {
    return { ...this.caller.key, secrets: this.secrets }
  }

  isIdle(now: number): boolean {
    return Math.abs(minuteOf(now) - this.usedAt) > FORGET_AFTER_MINUTES
  }

  use(now: number): Caller {
    this.usedAt = minuteOf(now)
    const team = this.team?.record
    if (this.caller.team !== team) this.caller = { key: this.caller.key, team }
    return this.caller
  }

  touch(now: number): void {
    this.caller = { key: { ...this.caller.key, lastUsedAt: now }, team: this.team?.record }
  }
}
