/** People, roles and service tokens in the store. */
import { Effect, Layer, Option } from "effect"
import type { NewAuditEntry } from "../../core/domain/AuditRepository.ts"
import type { StoreUnavailable } from "../../core/domain/Errors.ts"
import type { Visibility } from "../../core/domain/Principal.ts"
import {
  type Assignment,
  IdentityRepository,
  type Person,
  type PersonFilter,
  type PersonRecord,
  type ServiceTokenRecord
} from "../../core/admin/IdentityRepository.ts"
import { all, marks, type Statement, Statements } from "./Statements.ts"

/** Codes are valid for a minute. Older ones are removed with the next code. */
const CODE_KEPT_MS = 600_000

/** The columns as the records have them. */
const PERSON = `id, provider, issuer, subject, name, email, status, created_at AS "createdAt", last_seen_at AS "lastSeenAt",
  refresh_token AS "refreshToken", revalidated_at AS "revalidatedAt"`
const TOKEN = `id, hash, name, role, team, created_by AS "createdBy", created_at AS "createdAt", expires_at AS "expiresAt",
  last_used_at AS "lastUsedAt"`

interface AssignmentRow extends Assignment {
  readonly person: string
}

const makeIdentity = ({ contains, read, write }: Statements["Service"]): IdentityRepository["Service"] => {
  const change = (entry: NewAuditEntry | undefined, ...statements: ReadonlyArray<Statement>) =>
    Effect.asVoid(write(statements, { entries: [entry] }))

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
    return change(
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
      change(
        entry,
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
      change(entry, ["UPDATE people SET status = ? WHERE id = ? AND status <> 'erased'", status, id]),
    erase: (id, entry) =>
      change(
        entry,
        ["DELETE FROM assignments WHERE person = ?", id],
        ["DELETE FROM admin_sessions WHERE person = ?", id],
        // The ID keeps unique values apart.
        [
          `UPDATE people SET provider = '', issuer = '', subject = id, name = NULL, email = NULL, status = 'erased', refresh_token = NULL
           WHERE id = ?`,
          id
        ]
      ),
    claimRevalidation: ({ id, revalidatedAt }, now, until) =>
      Effect.map(
        write([
          [
            "UPDATE people SET revalidating_until = ? WHERE id = ? AND revalidated_at = ? AND revalidating_until < ?",
            until,
            id,
            revalidatedAt,
            now
          ]
        ]),
        (count) => count > 0
      ),
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
    removeToken: (id, entry) =>
      Effect.map(write([["DELETE FROM service_tokens WHERE id = ?", id]], { entries: [entry] }), (count) => count > 0),
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
