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
import { all, marks, type SqlValue, type Statement, Statements } from "./Statements.ts"

/** Codes are valid for a minute. Older ones are removed with the next code. */
const CODE_KEPT_MS = 600_000

/** The columns as the records have them. */
const PERSON = `id, provider, issuer, subject, name, email, status, created_at AS "createdAt", last_seen_at AS "lastSeenAt",
  refresh_token AS "refreshToken", revalidated_at AS "revalidatedAt"`
const TOKEN = `id, hash, name, role, team, created_by AS "createdBy", created_at AS "createdAt", expires_at AS "expiresAt",
  last_used_at AS "lastUsedAt"`

const DEVICE = `hash, user_code AS "userCode", client, address, state, person, created_at AS "createdAt",
  expires_at AS "expiresAt", polled_at AS "polledAt"`

/** Columns of `sign_ins` in the order of the fields of `signInValues`. */
const SIGN_IN_COLUMNS = [
  "id",
  "person",
  "client",
  "address",
  "access_hash",
  "access_until",
  "refresh_hash",
  "previous_hash",
  "previous_until",
  "created_at",
  "last_used_at"
]
const inCamelCase = (name: string): string => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
const SIGN_IN = SIGN_IN_COLUMNS.map((name) => `${name} AS "${inCamelCase(name)}"`).join(", ")

const signInValues = (one: MachineSignIn): ReadonlyArray<SqlValue> => [
  one.id,
  one.person,
  one.client,
  one.address,
  one.accessHash,
  one.accessUntil,
  one.refreshHash,
  one.previousHash,
  one.previousUntil,
  one.createdAt,
  one.lastUsedAt
]

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

  const isChanged = (statement: Statement, entry?: NewAuditEntry) =>
    Effect.map(write([statement], { entries: [entry], ifChanged: true }), (count) => count > 0)

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
      `SELECT ${PERSON} FROM people WHERE ${text} ORDER BY id LIMIT ?`,
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
    const { createdAt, email, id, issuer, lastSeenAt, name, provider, refreshToken, revalidatedAt, status, subject } =
      person
    // Another gateway may just have created the same person under another ID.
    const known = "(SELECT id FROM people WHERE issuer = ? AND subject = ?)"
    return changeWithKeys(
      id,
      entry,
      [
        `INSERT INTO people (id, provider, issuer, subject, name, email, status, created_at, last_seen_at,
           refresh_token, revalidated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (issuer, subject) DO UPDATE
         SET name = excluded.name, email = excluded.email, provider = excluded.provider, last_seen_at = excluded.last_seen_at,
           refresh_token = excluded.refresh_token, revalidated_at = excluded.revalidated_at, revalidating_until = 0`,
        id,
        provider,
        issuer,
        subject,
        name,
        email,
        status,
        createdAt,
        lastSeenAt,
        refreshToken,
        revalidatedAt
      ],
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
    person: (id) => first(read(`SELECT ${PERSON} FROM people WHERE id = ?`, id)),
    personOf: (issuer, subject) =>
      first(read(`SELECT ${PERSON} FROM people WHERE issuer = ? AND subject = ?`, issuer, subject)),
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
    addDevice: ({ address, client, createdAt, expiresAt, hash, person, polledAt, state, userCode }) =>
      Effect.map(
        write([
          ["DELETE FROM device_codes WHERE expires_at < ?", createdAt],
          [
            `INSERT INTO device_codes (hash, user_code, client, address, state, person, created_at, expires_at, polled_at)
               SELECT d.* FROM (SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT),
                 CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)) AS d
               WHERE (SELECT count(*) FROM device_codes WHERE address = ? AND created_at > ?) < ${MOST_BEGUN}
                 AND (SELECT count(*) FROM device_codes) < ${MOST_DEVICES}`,
            hash,
            userCode,
            client,
            address,
            state,
            person,
            createdAt,
            expiresAt,
            polledAt,
            address,
            createdAt - 60_000
          ]
        ]),
        (count) => count > 0
      ),
    device: (column, value) =>
      Effect.map(read<DeviceCode>(`SELECT ${DEVICE} FROM device_codes WHERE ${column} = ?`, value), ([row]) =>
        Option.fromUndefinedOr(row)
      ),
    polled: (hash, at) => change(undefined, ["UPDATE device_codes SET polled_at = ? WHERE hash = ?", at, hash]),
    decideDevice: (hash, person, state, entry) =>
      isChanged(
        ["UPDATE device_codes SET state = ?, person = ? WHERE hash = ? AND state = 'pending'", state, person, hash],
        entry
      ),
    takeDevice: (hash) => isChanged(["DELETE FROM device_codes WHERE hash = ? AND state = 'approved'", hash]),
    addSignIn: (signIn) => {
      const values = signInValues(signIn)
      return change(
        undefined,
        [`INSERT INTO sign_ins (${SIGN_IN_COLUMNS.join(", ")}) VALUES (${marks(values)})`, ...values],
        [
          `DELETE FROM sign_ins WHERE person = ? AND id NOT IN (
             SELECT id FROM sign_ins WHERE person = ? ORDER BY created_at DESC, id LIMIT ${MOST_MACHINES})`,
          signIn.person,
          signIn.person
        ]
      )
    },
    signIn: (id) =>
      Effect.map(read<MachineSignIn>(`SELECT ${SIGN_IN} FROM sign_ins WHERE id = ?`, id), ([row]) =>
        Option.fromUndefinedOr(row)
      ),
    signIns: (person) => read(`SELECT ${SIGN_IN} FROM sign_ins WHERE person = ? ORDER BY created_at DESC, id`, person),
    replaceSignIn: ({ id, refreshHash }, after) =>
      isChanged([
        `UPDATE sign_ins SET ${SIGN_IN_COLUMNS.map((name) => `${name} = ?`).join(", ")} WHERE id = ? AND refresh_hash = ?`,
        ...signInValues(after),
        id,
        refreshHash
      ]),
    touchSignIn: (id, at) => change(undefined, ["UPDATE sign_ins SET last_used_at = ? WHERE id = ?", at, id]),
    removeSignIn: (id, entry) => change(entry, ["DELETE FROM sign_ins WHERE id = ?", id]),
    removeSignIns: (person) => write([["DELETE FROM sign_ins WHERE person = ?", person]]),
    addToken: ({ createdAt, createdBy, expiresAt, hash, id, lastUsedAt, name, role, team }, entry) =>
      change(entry, [
        `INSERT INTO service_tokens (id, hash, name, role, team, created_by, created_at, expires_at, last_used_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        hash,
        name,
        role,
        team,
        createdBy,
        createdAt,
        expiresAt,
        lastUsedAt
      ]),
    token: (id) =>
      Effect.map(read<ServiceTokenRecord>(`SELECT ${TOKEN} FROM service_tokens WHERE id = ?`, id), ([row]) =>
        Option.fromUndefinedOr(row)
      ),
    tokens: (visibility) => {
      const teams = visibility === "all" ? [] : visibility.teams
      const condition = visibility === "all" ? "TRUE" : `team IN (${marks(teams)})`
      return read(`SELECT ${TOKEN} FROM service_tokens WHERE ${condition} ORDER BY id`, ...teams)
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
