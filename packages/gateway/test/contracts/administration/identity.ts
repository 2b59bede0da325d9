/** What every IdentityRepository keeps to. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import {
  IdentityRepository,
  type PersonFilter,
  type PersonRecord,
  rolesOf,
  type ServiceTokenRecord
} from "../../../src/core/admin/IdentityRepository.ts"
import { SessionRepository } from "../../../src/core/admin/SessionRepository.ts"
import { KeyRepository, type StoredKey } from "../../../src/core/keys/KeyRepository.ts"
import { freshKey } from "../../../src/core/keys/NewKey.ts"
import { AuditRepository } from "../../../src/core/domain/AuditRepository.ts"
import { NOW } from "../../storage/Support.ts"
import { session } from "./sessions.ts"

const person = (name: string, more: Partial<PersonRecord> = {}): PersonRecord => ({
  id: `user_${name}`,
  provider: "corp",
  issuer: "https://login.example.com",
  subject: `subject of ${name}`,
  name: `Name ${name}`,
  email: `${name}@example.com`,
  status: "active",
  createdAt: NOW,
  lastSeenAt: NOW,
  refreshToken: null,
  revalidatedAt: NOW,
  ...more
})

const token = (name: string, more: Partial<ServiceTokenRecord> = {}): ServiceTokenRecord => ({
  id: `tok_${name}`,
  hash: `hash of ${name}`,
  name,
  role: "admin",
  team: "",
  createdBy: "master_key",
  createdAt: NOW,
  expiresAt: NOW + 1000,
  lastUsedAt: null,
  ...more
})

const everybody: PersonFilter = {
  visibility: "all",
  limit: 100,
  after: undefined,
  team: undefined,
  search: undefined
}

const personalKey = (id: string, owner: string): StoredKey => ({
  ...freshKey(id, NOW, {
    team: "red",
    holder: { kind: "personal", owner, rule: null, subject: null, createdBy: owner }
  }),
  secrets: []
})

const entry = { at: NOW, actor: { kind: "user", id: "user_a", address: "" } as const, before: null, after: null }

export const identityContract = <E>(
  name: string,
  layer: Layer.Layer<IdentityRepository | SessionRepository | AuditRepository | KeyRepository, E>
) =>
  describe(`IdentityRepository · ${name}`, () => {
    it.effect("finds a person by id and by issuer and subject, with the roles of every source", () =>
      Effect.gen(function* () {
        const people = yield* IdentityRepository
        yield* people.save(person("a"), "idp:corp", [
          { team: "", role: "viewer" },
          { team: "red", role: "member" }
        ])
        yield* people.assign("user_a", "red", "admin")
        const found = Option.getOrThrow(yield* people.person("user_a"))
        const { assignments, ...record } = found
        assert.deepStrictEqual(record, person("a"))
        assert.deepStrictEqual(assignments, [
          { team: "", role: "viewer", source: "idp:corp" },
          { team: "red", role: "member", source: "idp:corp" },
          { team: "red", role: "admin", source: "manual" }
        ])
        assert.deepStrictEqual(rolesOf(assignments), { role: "viewer", teams: new Map([["red", "admin"] as const]) })
        assert.deepStrictEqual(yield* people.personOf("https://login.example.com", "subject of a"), Option.some(found))
        assert.deepStrictEqual(yield* people.personOf("https://other.example.com", "subject of a"), Option.none())
        assert.deepStrictEqual(yield* people.person("user_nobody"), Option.none())
      }).pipe(Effect.provide(layer))
    )

    it.effect("replaces the roles of one source and keeps id, status and the roles given by hand", () =>
      Effect.gen(function* () {
        const people = yield* IdentityRepository
        yield* people.save(person("a"), "idp:corp", [{ team: "", role: "admin" }])
        yield* people.assign("user_a", "blue", "member")
        yield* people.setStatus("user_a", "disabled")
        // Another gateway that has not seen the person gives it another id.
        const again = { ...person("a"), id: "user_other", name: "New name", lastSeenAt: NOW + 5 }
        yield* people.save(again, "idp:corp", [{ team: "red", role: "member" }])
        assert.deepStrictEqual(yield* people.person("user_other"), Option.none())
        const found = Option.getOrThrow(yield* people.person("user_a"))
        assert.deepInclude(found, { name: "New name", status: "disabled", createdAt: NOW, lastSeenAt: NOW + 5 })
        assert.deepStrictEqual(found.assignments, [
          { team: "blue", role: "member", source: "manual" },
          { team: "red", role: "member", source: "idp:corp" }
        ])
        yield* people.assign("user_a", "blue", null)
        assert.lengthOf(Option.getOrThrow(yield* people.person("user_a")).assignments, 1)
      }).pipe(Effect.provide(layer))
    )

    it.effect("lists people by id in pages, of the teams that may be seen", () =>
      Effect.gen(function* () {
        const people = yield* IdentityRepository
        for (const one of ["a", "b", "c"]) yield* people.save(person(one), "idp:corp", [])
        yield* people.assign("user_a", "red", "member")
        yield* people.assign("user_c", "blue", "admin")
        const ids = (filter: Partial<PersonFilter>) =>
          Effect.map(people.people({ ...everybody, ...filter }), (page) => [
            ...page.people.map(({ id }) => id),
            page.hasMore
          ])
        assert.deepStrictEqual(yield* ids({ limit: 2 }), ["user_a", "user_b", true])
        assert.deepStrictEqual(yield* ids({ after: "user_b" }), ["user_c", false])
        assert.deepStrictEqual(yield* ids({ team: "blue" }), ["user_c", false])
        assert.deepStrictEqual(yield* ids({ search: "B@EXAMPLE" }), ["user_b", false])
        assert.deepStrictEqual(yield* ids({ search: "%" }), [false])
        assert.deepStrictEqual(yield* ids({ visibility: { teams: ["red"], owner: null } }), ["user_a", false])
        assert.deepStrictEqual(yield* ids({ visibility: { teams: [], owner: "user_b" } }), ["user_b", false])
        assert.deepStrictEqual(yield* ids({ visibility: { teams: [], owner: null } }), [false])
      }).pipe(Effect.provide(layer))
    )

    it.effect("erases a person: only the id is left, and the same subject is a new person", () =>
      Effect.gen(function* () {
        const people = yield* IdentityRepository
        const sessions = yield* SessionRepository
        yield* people.save(person("a"), "idp:corp", [{ team: "red", role: "member" }])
        yield* sessions.add(session("s", { person: "user_a", role: "user" }))
        yield* people.erase("user_a", { ...entry, action: "users.erase", target: "user_a" })
        const left = Option.getOrThrow(yield* people.person("user_a"))
        assert.deepInclude(left, { status: "erased", name: null, email: null, issuer: "", assignments: [] })
        assert.deepStrictEqual(yield* sessions.list, [])
        yield* people.setStatus("user_a", "active")
        assert.strictEqual(Option.getOrThrow(yield* people.person("user_a")).status, "erased")
        yield* people.save(person("a", { id: "user_b" }), "idp:corp", [])
        assert.isTrue(Option.isSome(yield* people.person("user_b")))
        assert.deepStrictEqual(yield* people.names(["user_a", "user_b"]), new Map([["user_b", "Name a"]]))
      }).pipe(Effect.provide(layer))
    )

    it.effect("gives a code once, to the browser with its cookie, until it expires", () =>
      Effect.gen(function* () {
        const people = yield* IdentityRepository
        yield* people.addCode("hash", "cookie", "user_a", NOW + 10)
        assert.deepStrictEqual(yield* people.takeCode("hash", "other", NOW), Option.none())
        assert.deepStrictEqual(yield* people.takeCode("hash", "cookie", NOW + 10), Option.none())
        const taken = yield* Effect.forEach([1, 2, 3], () => people.takeCode("hash", "cookie", NOW), {
          concurrency: "unbounded"
        })
        assert.lengthOf(taken.filter(Option.isSome), 1)
      }).pipe(Effect.provide(layer))
    )

    it.effect("lets one of several revalidate a person, until its time is over", () =>
      Effect.gen(function* () {
        const people = yield* IdentityRepository
        yield* people.save(person("a"), "idp:corp", [])
        const claim = (now: number) => people.claimRevalidation(person("a"), now, now + 30)
        const claims = yield* Effect.all([claim(NOW), claim(NOW), claim(NOW)], { concurrency: "unbounded" })
        assert.lengthOf(claims.filter(Boolean), 1)
        assert.isFalse(yield* claim(NOW + 29))
        assert.isTrue(yield* claim(NOW + 31))
        yield* people.save(person("a", { revalidatedAt: NOW + 40 }), "idp:corp", [])
        assert.isFalse(yield* claim(NOW + 100), "it was revalidated since it was read")
      }).pipe(Effect.provide(layer))
    )

    it.effect("keeps service tokens until they are removed", () =>
      Effect.gen(function* () {
        const people = yield* IdentityRepository
        const audit = yield* AuditRepository
        yield* people.addToken(token("a"), { ...entry, action: "tokens.create", target: "tok_a" })
        yield* people.addToken(token("b", { team: "red", role: "member" }))
        yield* people.touchToken("tok_a", NOW + 1)
        assert.deepStrictEqual(yield* people.token("tok_a"), Option.some(token("a", { lastUsedAt: NOW + 1 })))
        const ids = (visibility: PersonFilter["visibility"]) =>
          Effect.map(people.tokens(visibility), (all) => all.map(({ id }) => id))
        assert.deepStrictEqual(yield* ids("all"), ["tok_a", "tok_b"])
        assert.deepStrictEqual(yield* ids({ teams: ["red"], owner: null }), ["tok_b"])
        assert.deepStrictEqual(yield* ids({ teams: [], owner: null }), [])
        assert.isTrue(yield* people.removeToken("tok_a"))
        assert.isFalse(yield* people.removeToken("tok_a"))
        assert.deepStrictEqual(yield* people.token("tok_a"), Option.none())
        const any = { after: undefined, actor: undefined, action: undefined, from: undefined, to: undefined, limit: 9 }
        const seen = (visibility: PersonFilter["visibility"]) =>
          Effect.map(audit.list({ ...any, target: undefined, visibility }), ({ entries }) => entries.length)
        assert.strictEqual(yield* seen("all"), 1)
        assert.strictEqual(yield* seen({ teams: ["red"], owner: "user_a" }), 1)
        assert.strictEqual(yield* seen({ teams: ["red"], owner: null }), 0)
      }).pipe(Effect.provide(layer))
    )

    it.effect("suspends the personal keys of a person without a role in their team, and resumes them", () =>
      Effect.gen(function* () {
        const people = yield* IdentityRepository
        const keys = yield* KeyRepository
        const isSuspended = Effect.map(keys.find("key_1"), (key) => Option.getOrThrow(key).isSuspended === true)
        yield* people.save(person("a"), "idp:corp", [{ team: "red", role: "member" }])
        assert.isTrue(yield* keys.insert(personalKey("key_1", "user_a"), undefined, 1))
        assert.isFalse(yield* keys.insert(personalKey("key_2", "user_a"), undefined, 1))
        assert.deepStrictEqual(yield* keys.owned("user_a"), ["key_1"])
        assert.deepStrictEqual(yield* people.setStatus("user_a", "disabled"), ["key_1"])
        assert.isTrue(yield* isSuspended)
        assert.deepStrictEqual(yield* people.setStatus("user_a", "active"), ["key_1"])
        assert.isFalse(yield* isSuspended)
        assert.deepStrictEqual(yield* people.save(person("a"), "idp:corp", []), ["key_1"])
        assert.deepStrictEqual(yield* people.assign("user_a", "red", "member"), ["key_1"])
        assert.deepStrictEqual(yield* people.assign("user_a", "red", "admin"), [])
        // A key that is made while its person leaves is suspended from the beginning.
        yield* people.assign("user_a", "red", null)
        yield* keys.insert(personalKey("key_3", "user_a"))
        assert.isTrue(Option.getOrThrow(yield* keys.find("key_3")).isSuspended)
        const listed = {
          visibility: "all",
          limit: 10,
          after: undefined,
          team: undefined,
          search: undefined,
          now: NOW
        } as const
        const page = Option.getOrThrow(yield* keys.list({ ...listed, status: "suspended", owner: "user_a" }))
        assert.deepStrictEqual(page.keys.map(({ id }) => id).sort(), ["key_1", "key_3"])
      }).pipe(Effect.provide(layer))
    )

    it.effect("keeps one decision about a device, few that wait, and ten machines of a person", () =>
      Effect.gen(function* () {
        const people = yield* IdentityRepository
        const code = (name: string) => ({
          hash: `hash ${name}`,
          userCode: `code ${name}`,
          client: "a program",
          address: "192.0.2.7",
          state: "pending" as const,
          person: "",
          createdAt: NOW,
          expiresAt: NOW + 600_000,
          polledAt: 0
        })
        for (let n = 0; n < 20; n++) assert.isTrue(yield* people.addDevice(code(String(n))))
        assert.isFalse(yield* people.addDevice(code("20")))
        assert.deepStrictEqual(yield* people.device("user_code", "code 3"), Option.some(code("3")))
        const note = { ...entry, action: "sign_ins.approve", target: "user_a" }
        assert.isTrue(yield* people.decideDevice("hash 3", "user_a", "approved", note))
        assert.isFalse(yield* people.decideDevice("hash 3", "user_b", "denied", note))
        assert.isTrue(yield* people.takeDevice("hash 3"))
        assert.isFalse(yield* people.takeDevice("hash 3"))
        const machine = (n: number) => ({
          id: `sign_${n}`,
          person: "user_a",
          client: "a program",
          address: "",
          accessHash: "a",
          accessUntil: NOW + 1,
          refreshHash: `r${n}`,
          previousHash: "",
          previousUntil: 0,
          createdAt: NOW + n,
          lastUsedAt: NOW
        })
        for (let n = 0; n < 11; n++) yield* people.addSignIn(machine(n))
        const all = yield* people.signIns("user_a")
        assert.deepStrictEqual([all.length, all[0]], [10, machine(10)])
        const after = { ...machine(10), refreshHash: "next", previousHash: "r10" }
        assert.isTrue(yield* people.replaceSignIn(machine(10), after))
        assert.isFalse(yield* people.replaceSignIn(machine(10), after))
        assert.deepStrictEqual(yield* people.signIn("sign_10"), Option.some(after))
        assert.strictEqual(yield* people.removeSignIns("user_a"), 10)
      }).pipe(Effect.provide(layer))
    )
  })
