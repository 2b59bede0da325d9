/** What one process remembers of keys and teams. Each step is synchronous, so that no write comes between a check and a change. */
import type { Team } from "./Caller.ts"
import { IdleMap } from "../collections/IdleMap.ts"
import { Interner } from "../collections/Interner.ts"
import { KeyEntry } from "./KeyEntry.ts"
import type { StoredKey, TeamRecord } from "./KeyRepository.ts"

export class KeyMemory {
  /** Grows with every change of a key or a team, by whomever. What was read before it grew may be outdated. */
  generation = 0
  private readonly entries = new IdleMap<KeyEntry>((entry, now) => entry.isIdle(now))
  private readonly teams = new Map<string, Team>()
  private readonly shared = new Interner()

  key(id: string): KeyEntry | undefined {
    return this.entries.get(id)
  }

  team(name: string): Team | undefined {
    return this.teams.get(name)
  }

  /** Keeps a key read in the generation `since`, unless something changed meanwhile: then its next use reads it again. */
  remember(stored: StoredKey, since: number, now: number): KeyEntry {
    const lastUsedAt = this.entries.get(stored.id)?.caller.key.lastUsedAt ?? stored.lastUsedAt
    const team = stored.team === null ? undefined : this.teams.get(stored.team)
    const entry = new KeyEntry({ stored, lastUsedAt, team, shared: this.shared, now })
    if (this.generation === since) this.entries.set(stored.id, entry, now)
    else this.entries.delete(stored.id)
    return entry
  }

  /** All keys of the team see its new record at once. */
  rememberTeam(name: string, record: TeamRecord | undefined): Team {
    const known = this.teams.get(name)
    const team = known ?? { record }
    if (known === undefined) this.teams.set(name, team)
    else known.record = record
    return team
  }

  forget(id: string): void {
    this.generation++
    this.entries.delete(id)
  }

  forgetAll(): void {
    this.generation++
    this.entries.clear()
    this.teams.clear()
  }
}
