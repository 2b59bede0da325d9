/** What every AuditRepository keeps to, and every repository whose changes are in the audit log. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, type Layer, Option, type Scope } from "effect"
import { type AuditFilter, AuditRepository, type NewAuditEntry } from "../../../src/core/domain/AuditRepository.ts"
import { SessionRepository } from "../../../src/core/admin/SessionRepository.ts"
import { KeyRepository } from "../../../src/core/keys/KeyRepository.ts"
import { RotationRepository } from "../../../src/core/pool/RotationRepository.ts"
import { key, NOW } from "../../storage/Support.ts"
import { session } from "./sessions.ts"

const all: AuditFilter = {
  visibility: "all",
  limit: 100,
  after: undefined,
  actor: undefined,
  action: undefined,
  target: undefined,
  from: undefined,
  to: undefined
}

const entry = (target: string, more: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  at: NOW,
  actor: { kind: "master_key", id: "master_key", address: "192.0.2.1" },
  action: "keys.update",
  target,
  before: null,
  after: { limits: { rpm: 5 } },
  ...more
})

const listed = Effect.fnUntraced(function* (filter: Partial<AuditFilter> = {}) {
  const { entries, hasMore } = yield* Effect.flatMap(AuditRepository, ({ list }) => list({ ...all, ...filter }))
  return { targets: entries.map(({ target }) => target), hasMore, last: entries.at(-1)?.id }
})

/** No JSON can be made of it: whatever is to be written with it fails as a whole. */
const unwritable = entry("x", { after: 1n })

const team = { name: "red", limits: key({ id: "k" }).limits, budgets: [], rules: undefined, updatedAt: NOW }

/** `reopened`: a store that is there again each time the layer is provided, as after a restart. */
export const auditContract = <E>(
  name: string,
  layer: Layer.Layer<AuditRepository | KeyRepository | RotationRepository | SessionRepository, E>,
  reopened: Effect.Effect<Layer.Layer<AuditRepository, E>, E, Scope.Scope>
) => {
  describe(`AuditRepository · ${name}`, () => {
    it.effect("gives entries back as they were added, also after a restart", () =>
      Effect.gen(function* () {
        const store = yield* reopened
        const odd = entry("key_b", {
          actor: { kind: "session", id: "sess_a", address: "" },
          action: "what a later version does",
          before: JSON.parse('{"__proto__": [1, null]}'),
          after: undefined
        })
        const adding = Effect.gen(function* () {
          const audit = yield* AuditRepository
          yield* audit.add(entry("key_a"))
          yield* audit.add(odd)
        })
        yield* Effect.provide(adding, store)
        const reading = Effect.flatMap(AuditRepository, ({ list }) => list(all))
        const { entries, hasMore } = yield* Effect.provide(reading, store)
        assert.isFalse(hasMore)
        assert.strictEqual(JSON.stringify(entries[0]?.before), JSON.stringify(odd.before))
        const [b, a] = entries.map(({ id: _, ...rest }) => rest)
        assert.deepStrictEqual(a, entry("key_a"))
        assert.deepStrictEqual({ ...b, before: null }, { ...odd, before: null, after: null })
      })
    )

    it.effect("lists the newest first, in pages that what is added meanwhile does not move", () =>
      Effect.gen(function* () {
        const audit = yield* AuditRepository
        // The clock was set back: the order is that of adding.
        for (const [at, target] of [
          [NOW + 9, "1"],
          [NOW, "2"],
          [NOW + 5, "3"]
        ] as const) {
          yield* audit.add(entry(target, { at }))
        }
        const first = yield* listed({ limit: 2 })
        assert.deepInclude(first, { targets: ["3", "2"], hasMore: true })
        yield* audit.add(entry("4"))
        const second = yield* listed({ limit: 2, after: first.last })
        assert.deepInclude(second, { targets: ["1"], hasMore: false })
        assert.deepInclude(yield* listed({ limit: 2, after: second.last }), { targets: [], hasMore: false })
      }).pipe(Effect.provide(layer))
    )

    it.effect("finds by who, what, to what and when: from a time on, and before another", () =>
      Effect.gen(function* () {
        const audit = yield* AuditRepository
        yield* audit.add(entry("a"))
        yield* audit.add(entry("b", { at: NOW + 1, actor: { kind: "session", id: "sess_a", address: "" } }))
        yield* audit.add(entry("b", { at: NOW + 2, action: "keys.revoke" }))
        const targets = (filter: Partial<AuditFilter>) => Effect.map(listed(filter), (found) => found.targets.join(""))
        assert.strictEqual(yield* targets({ actor: "sess_a" }), "b")
        assert.strictEqual(yield* targets({ action: "keys.update" }), "ba")
        assert.strictEqual(yield* targets({ target: "b" }), "bb")
        assert.strictEqual(yield* targets({ from: NOW + 1, to: NOW + 2 }), "b")
        assert.strictEqual(yield* targets({ target: "b", actor: "master_key", action: "keys.revoke" }), "b")
        assert.strictEqual(yield* targets({ target: "a' OR TRUE --" }), "")
      }).pipe(Effect.provide(layer))
    )
  })

  describe(`Changes in the audit log · ${name}`, () => {
    it.effect("are written with their entries", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        const sessions = yield* SessionRepository
        yield* keys.insert(key({ id: "a" }), entry("insert"))
        yield* keys.update(key({ id: "a", name: "b" }), entry("update"))
        yield* keys.putTeam(team, entry("put"))
        yield* keys.deleteTeam("red", false, entry("delete"))
        yield* Effect.flatMap(RotationRepository, ({ setDisabled }) => setDisabled(["d"], true, [entry("rotate")]))
        yield* sessions.add(session("a"), entry("open"))
        yield* sessions.remove(["sess_a"], entry("close"))
        const done = ["close", "open", "rotate", "delete", "put", "update", "insert"]
        assert.deepStrictEqual((yield* listed()).targets, done)
        // What changes nothing leaves none.
        yield* sessions.remove(["sess_a"], entry("again"))
        yield* keys.deleteTeam("red", true, entry("again"))
        assert.deepStrictEqual((yield* listed()).targets, done)
      }).pipe(Effect.provide(layer))
    )

    it.effect("do not happen without them", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        const rotation = yield* RotationRepository
        const sessions = yield* SessionRepository
        yield* keys.insert(key({ id: "old" }))
        yield* keys.putTeam(team)
        yield* sessions.add(session("old"))
        for (const change of [
          keys.insert(key({ id: "new" }), unwritable),
          keys.update(key({ id: "old", name: "changed" }), unwritable),
          keys.putTeam({ ...team, updatedAt: NOW + 1 }, unwritable),
          keys.deleteTeam("red", true, unwritable),
          rotation.setDisabled(["d"], true, [entry("d"), unwritable]),
          sessions.add(session("new"), unwritable),
          sessions.remove(["sess_old"], unwritable)
        ]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit<unknown, unknown, never>(change)))
        }
        assert.deepStrictEqual(yield* keys.find("new"), Option.none())
        assert.deepStrictEqual(yield* keys.find("old"), Option.some(key({ id: "old" })))
        assert.deepStrictEqual(yield* keys.findTeam("red"), Option.some(team))
        assert.deepStrictEqual(yield* rotation.disabled, new Set())
        assert.deepStrictEqual(yield* sessions.list, [session("old")])
        assert.deepStrictEqual((yield* listed()).targets, [])
      }).pipe(Effect.provide(layer))
    )
  })
}
