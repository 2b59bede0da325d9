/** The store as its owner has it: each worker, and this process, has a journal and shares of its own; changes are told to all. */
import { Clock, Context, Effect, Layer } from "effect"
import { AbandonedRule } from "../core/domain/AbandonedRule.ts"
import { GrantOwner } from "../core/grants/GrantOwner.ts"
import { Grants } from "../core/grants/Grants.ts"
import { joinInMemory } from "../core/grants/GrantsMemory.ts"
import { type ChangeNotice, KeyRepository } from "../core/keys/KeyRepository.ts"
import { LedgerJournal } from "../core/ledger/LedgerJournal.ts"
import { LedgerOwner } from "../core/ledger/LedgerOwner.ts"
import type { Crew } from "./Crew.ts"

/** What workers are given. */
export class Books extends Context.Service<
  Books,
  { readonly grants: GrantOwner; readonly ledger: LedgerOwner; readonly journal: LedgerJournal["Service"] }
>()("gateway/workers/Books") {}

/** Over the store's own ports. */
export const layer = (crew: Crew) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const journal = yield* LedgerJournal
      const clock = yield* Clock.Clock
      const grants: GrantOwner = new GrantOwner({
        clock,
        open: ({ kind, scope, start }) => journal.openWindow({ scope, window: kind, start })
      })
      const ledger = new LedgerOwner(journal, grants, yield* journal.lastId)
      yield* journal.abandonOpen(clock.currentTimeMillisUnsafe(), yield* AbandonedRule)
      const own = joinInMemory(grants, ledger.standing)
      return Context.make(Books, { grants, ledger, journal }).pipe(
        Context.add(LedgerJournal, ledger.journalOf(own.member)),
        Context.add(Grants, own.grants),
        Context.add(KeyRepository, announcing(yield* KeyRepository, crew))
      )
    })
  )

/** A change is in force in every worker before it counts as made. */
const announcing = (keys: KeyRepository["Service"], crew: Crew): KeyRepository["Service"] => {
  const announce = (what: "key" | "team", id: string) => {
    const notice: ChangeNotice = { what, id }
    return crew.everyone("changed", notice)
  }
  return {
    ...keys,
    insert: (key, entry) => Effect.tap(keys.insert(key, entry), () => announce("key", key.id)),
    update: (key, entry) => Effect.tap(keys.update(key, entry), () => announce("key", key.id)),
    putTeam: (team, entry) => Effect.tap(keys.putTeam(team, entry), () => announce("team", team.name)),
    deleteTeam: (name, force, entry) =>
      Effect.tap(keys.deleteTeam(name, force, entry), ({ isDeleted }) =>
        isDeleted ? announce("team", name) : Effect.void
      )
  }
}
