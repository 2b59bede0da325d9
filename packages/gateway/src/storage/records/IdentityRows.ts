/** People, roles and service tokens in the store. */
import { Effect, Layer, Option } from "effect"
import type { NewAuditEntry } from "../../core/domain/AuditRepository.ts"
import type { StoreUnavailable } from "../../core/domain/Errors.ts"
import type { Visibility } from "../../core/domain/Principal.ts"
import {
  type Assignment,
  type DeviceCode,
  IdentityRepository,
  type MachineSignIn,
  type Person,
  type PersonFilter,
  type PersonRecord,
  type ServiceTokenRecord
} from "../../core/admin/IdentityRepository.ts"
import { all, columnsOf, firstOf, marks, type Statement, Statements, visibleTo } from "./Statements.ts"

/** Codes are valid for a minute. Older ones are removed with the next code. */
const CODE_KEPT_MS = 600_000

const PEOPLE = columnsOf<PersonRecord>(
  "people",
  "id provider issuer subject name email status createdAt lastSeenAt refreshToken revalidatedAt"
)
const TOKENS = columnsOf<ServiceTokenRecord>(
  "service_tokens",
  "id hash name role team createdBy createdAt expiresAt lastUsedAt"
)
const DEVICES = columnsOf<DeviceCode>(
  "device_codes",
  "hash userCode client address state person createdAt expiresAt polledAt"
)
const SIGN_INS = columnsOf<MachineSignIn>(
  "sign_ins",
  "id person client address accessHash accessUntil refreshHash previousHash previousUntil createdAt lastUsedAt"
)

/** Sign-ins of machines that one address may begin in a minute, and that may wait in all. */
const MOST_BEGUN = 20
const MOST_DEVICES = 1_000
/** Machines on which a person is signed in. */
const MOST_MACHINES = 10

interface AssignmentRow extends Assignment {
  readonly person: string
}

const makeIdentity = ({ contains, follow, read, write }: Statements["Service"]): IdentityRepository["Service"] => {
  const change = (entry: NewAuditEntry | undefined, ...statements: ReadonlyArray<Statement>) =>
    Effect.asVoid(write(statements, { entries: [entry] }))

  const isChanged = (statement: Statement, entry?: NewAuditEntry, ...before: ReadonlyArray<Statement>) =>
    Effect.map(write([...before, statement], { entries: [entry], ifChanged: true }), (count) => count > 0)

  const changeWithKeys = (person: string, entry: NewAuditEntry | undefined, ...statements: ReadonlyArray<Statement>) =>
    follow(person, statements, entry)

  const withRoles = Effect.fnUntraced(function* (rows: ReadonlyArray<PersonRecord>) {
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const roles = yield* read<AssignmentRow>(
      `SELECT person, team, role, source FROM assignments WHERE person IN (${marks(ids)}) ORDER BY team, source`,
      ...ids
    )
    const of = Map.groupBy(roles, ({ person }) => person)
    return rows.map((row): Person => {
      const assignments = (of.get(row.id) ?? []).map(({ role, source, team }) => ({ team, role, source }))
      return { ...row, assignments }
    })
  })

  const first = (rows: Effect.Effect<ReadonlyArray<PersonRecord>, StoreUnavailable>) =>
    Effect.map(Effect.flatMap(rows, withRoles), ([one]) => Option.fromUndefinedOr(one))

  const people = Effect.fn("IdentityRepository.people")(function* (filter: PersonFilter) {
    const { after, limit, search, team, visibility } = filter
    const [text, ...values] = all([
      ["id > ?", after ?? ""],
      team === undefined ? undefined : ["id IN (SELECT person FROM assignments WHERE team = ?)", team],
      visibility === "all" ? undefined : sharing(visibility),
      search === undefined
        ? undefined
        : contains("lower(id || ' ' || coalesce(name, '') || ' ' || coalesce(email, ''))", search)
    ])
    const rows = yield* read<PersonRecord>(
      `SELECT ${PEOPLE.selected} FROM people WHERE ${text} ORDER BY id LIMIT ?`,
      ...values,
      limit + 1
    )
    return { people: yield* withRoles(rows.slice(0, limit)), hasMore: rows.length > limit }
  })

  const save = (
    person: PersonRecord,
    source: string,
    assignments: ReadonlyArray<Omit<Assignment, "source">>,
    entry?: NewAuditEntry
  ) => {
    const { id, issuer, subject } = person
    // Another gateway may just have created the same person under another ID.
    const known = "(SELECT id FROM people WHERE issuer = ? AND subject = ?)"
    return changeWithKeys(
      id,
      entry,
      PEOPLE.insert(
        person,
        `ON CONFLICT (issuer, subject) DO UPDATE
         SET name = excluded.name, email = excluded.email, provider = excluded.provider, last_seen_at = excluded.last_seen_at,
           refresh_token = excluded.refresh_token, revalidated_at = excluded.revalidated_at, revalidating_until = 0`
      ),
      [`DELETE FROM assignments WHERE source = ? AND person = ${known}`, source, issuer, subject],
      ...assignments.map(({ role, team }): Statement => [
        `INSERT INTO assignments (person, team, source, role) VALUES (${known}, ?, ?, ?)`,
        issuer,
        subject,
        team,
        source,
        role
      ])
    )
  }

  const names = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const rows =
      ids.length === 0
        ? []
        : yield* read<{ readonly id: string; readonly name: string | null }>(
            `SELECT id, coalesce(name, email) AS name FROM people WHERE id IN (${marks(ids)})
             UNION ALL SELECT id, name FROM service_tokens WHERE id IN (${marks(ids)})`,
            ...ids,
            ...ids
          )
    return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])))
  })

  return {
    person: (id) => first(read(`SELECT ${PEOPLE.selected} FROM people WHERE id = ?`, id)),
    personOf: (issuer, subject) =>
      first(read(`SELECT ${PEOPLE.selected} FROM people WHERE issuer = ? AND subject = ?`, issuer, subject)),
    people,
    names,
    save,
    assign: (id, team, role, entry) =>
      changeWithKeys(
        id,
        entry,
        // No key is made for the person meanwhile.
        ["UPDATE people SET status = status WHERE id = ?", id],
        ["DELETE FROM assignments WHERE person = ? AND team = ? AND source = 'manual'", id, team],
        // Selects no row if the role is removed.
        [
          `INSERT INTO assignments (person, team, source, role) SELECT p.id, ?, 'manual', ? FROM people p
           WHERE p.id = ? AND ? <> ''`,
          team,
          role ?? "",
          id,
          role ?? ""
        ]
      ),
    setStatus: (id, status, entry) =>
      changeWithKeys(id, entry, ["UPDATE people SET status = ? WHERE id = ? AND status <> 'erased'", status, id]),
    erase: (id, entry) =>
      changeWithKeys(
        id,
        entry,
        ["DELETE FROM assignments WHERE person = ?", id],
        ["DELETE FROM admin_sessions WHERE person = ?", id],
        ["DELETE FROM sign_ins WHERE person = ?", id],
        // The ID keeps unique values apart.
        [
          `UPDATE people SET provider = '', issuer = '', subject = id, name = NULL, email = NULL, status = 'erased', refresh_token = NULL
           WHERE id = ?`,
          id
        ]
      ),
    claimRevalidation: ({ id, revalidatedAt }, now, until) =>
      isChanged([
        "UPDATE people SET revalidating_until = ? WHERE id = ? AND revalidated_at = ? AND revalidating_until < ?",
        until,
        id,
        revalidatedAt,
        now
      ]),
    addCode: (hash, cookieHash, person, expiresAt) =>
      change(
        undefined,
        ["DELETE FROM sign_in_codes WHERE expires_at < ?", expiresAt - CODE_KEPT_MS],
        [
          "INSERT INTO sign_in_codes (hash, cookie_hash, person, expires_at) VALUES (?, ?, ?, ?)",
          hash,
          cookieHash,
          person,
          expiresAt
        ]
      ),
    takeCode: (hash, cookieHash, now) =>
      Effect.gen(function* () {
        const [found] = yield* read<{ readonly person: string }>(
          "SELECT person FROM sign_in_codes WHERE hash = ? AND cookie_hash = ? AND expires_at > ?",
          hash,
          cookieHash,
          now
        )
        // If several gateways found it, the one that deletes it may use it.
        const removed = found === undefined ? 0 : yield* write([["DELETE FROM sign_in_codes WHERE hash = ?", hash]])
        return removed > 0 ? Option.fromUndefinedOr(found?.person) : Option.none()
      }),
    addDevice: (code) =>
      isChanged(
        [
          `INSERT INTO device_codes (${DEVICES.names})
             SELECT d.* FROM (SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT),
               CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)) AS d
             WHERE (SELECT count(*) FROM device_codes WHERE address = ? AND created_at > ?) < ${MOST_BEGUN}
               AND (SELECT count(*) FROM device_codes) < ${MOST_DEVICES}`,
          ...DEVICES.values(code),
          code.address,
          code.createdAt - 60_000
        ],
        undefined,
        ["DELETE FROM device_codes WHERE expires_at < ?", code.createdAt]
      ),
    device: (column, value) =>
      firstOf(read<DeviceCode>(`SELECT ${DEVICES.selected} FROM device_codes WHERE ${column} = ?`, value)),
    polled: (hash, at) => change(undefined, ["UPDATE device_codes SET polled_at = ? WHERE hash = ?", at, hash]),
    decideDevice: (hash, person, state, entry) =>
      isChanged(
        ["UPDATE device_codes SET state = ?, person = ? WHERE hash = ? AND state = 'pending'", state, person, hash],
        entry
      ),
    takeDevice: (hash) => isChanged(["DELETE FROM device_codes WHERE hash = ? AND state = 'approved'", hash]),
    addSignIn: (signIn) =>
      change(undefined, SIGN_INS.insert(signIn), [
        `DELETE FROM sign_ins WHERE person = ? AND id NOT IN (
           SELECT id FROM sign_ins WHERE person = ? ORDER BY created_at DESC, id LIMIT ${MOST_MACHINES})`,
        signIn.person,
        signIn.person
      ]),
    signIn: (id) => firstOf(read<MachineSignIn>(`SELECT ${SIGN_INS.selected} FROM sign_ins WHERE id = ?`, id)),
    signIns: (person) =>
      read(`SELECT ${SIGN_INS.selected} FROM sign_ins WHERE person = ? ORDER BY created_at DESC, id`, person),
    replaceSignIn: ({ id, refreshHash }, after) =>
      isChanged([
        `UPDATE sign_ins SET ${SIGN_INS.assigned} WHERE id = ? AND refresh_hash = ?`,
        ...SIGN_INS.values(after),
        id,
        refreshHash
      ]),
    touchSignIn: (id, at) => change(undefined, ["UPDATE sign_ins SET last_used_at = ? WHERE id = ?", at, id]),
    removeSignIn: (id, entry) => change(entry, ["DELETE FROM sign_ins WHERE id = ?", id]),
    removeSignIns: (person) => write([["DELETE FROM sign_ins WHERE person = ?", person]]),
    addToken: (token, entry) => change(entry, TOKENS.insert(token)),
    token: (id) => firstOf(read<ServiceTokenRecord>(`SELECT ${TOKENS.selected} FROM service_tokens WHERE id = ?`, id)),
    tokens: (visibility) => {
      const [condition, ...values] = all([visibleTo(visibility)])
      return read(`SELECT ${TOKENS.selected} FROM service_tokens WHERE ${condition} ORDER BY id`, ...values)
    },
    removeToken: (id, entry) => isChanged(["DELETE FROM service_tokens WHERE id = ?", id], entry),
    touchToken: (id, at) => change(undefined, ["UPDATE service_tokens SET last_used_at = ? WHERE id = ?", at, id])
  }
}

/** People with a role in one of the teams, and the person itself. */
const sharing = ({ owner, teams }: Exclude<Visibility, "all">): Statement => [
  `(id = ? OR id IN (SELECT person FROM assignments WHERE team IN (${marks(teams)})))`,
  owner ?? "",
  ...teams
]

export const layer = Layer.effect(IdentityRepository, Effect.map(Statements, makeIdentity))
