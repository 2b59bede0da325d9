/** Reads keys. Each store finds a text in their IDs and names by its own index. */
import { Effect, Option } from "effect"
import type { StoreUnavailable } from "../../core/domain/Errors.ts"
import type { KeyFilter, KeyName, KeyRepository, StoredKey } from "../../core/keys/KeyRepository.ts"
import { fromRow, type KeyRow } from "./KeyRows.ts"
import { all, marks, type Statement, type Statements, visibleTo } from "./Statements.ts"

/** IDs per read, which takes a millisecond or two. */
const ID_PAGE = 2000

/** Names per read. */
const NAMES_AT_ONCE = 500

/** `matching`: the conditions for keys with a text, given in lower case, in ID or name. */
export const makeKeyReads = (
  { read }: Statements["Service"],
  matching: (text: string) => Effect.Effect<ReadonlyArray<Statement>, StoreUnavailable>
): Pick<KeyRepository["Service"], "find" | "ids" | "list" | "names" | "owned"> => ({
  find: Effect.fn("KeyRepository.find")(function* (id: string) {
    const [row] = yield* read<KeyRow>("SELECT * FROM keys WHERE id = ?", id)
    return row === undefined ? Option.none<StoredKey>() : Option.some(yield* fromRow(row))
  }),
  ids: Effect.fnUntraced(function* (after: string) {
    const rows = yield* read<Pick<KeyRow, "id">>(`SELECT id FROM keys WHERE id > ? ORDER BY id LIMIT ${ID_PAGE}`, after)
    const [last] = yield* read<{ readonly seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM keys")
    return { ids: rows.map(({ id }) => id), hasMore: rows.length === ID_PAGE, most: last?.seq ?? 0 }
  }),
  list: Effect.fn("KeyRepository.list")(function* (filter: KeyFilter) {
    const { after, limit, search } = filter
    const place = "SELECT created_at, seq FROM keys WHERE id = ?"
    const last = after === undefined ? [] : yield* read<{ created_at: number; seq: number }>(place, after)
    if (after !== undefined && last[0] === undefined) return Option.none()
    const [text, ...values] = all([
      ...listed(filter),
      last[0] && ["(created_at, seq) < (?, ?)", last[0].created_at, last[0].seq],
      ...(search === undefined ? [] : yield* matching(search.toLowerCase()))
    ])
    const rows = yield* read<KeyRow>(
      `SELECT * FROM keys WHERE ${text} ORDER BY created_at DESC, seq DESC LIMIT ?`,
      ...values,
      limit + 1
    )
    return Option.some({ keys: yield* Effect.forEach(rows.slice(0, limit), fromRow), hasMore: rows.length > limit })
  }),
  names: Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const found: Array<KeyName> = []
    for (let from = 0; from < ids.length; from += NAMES_AT_ONCE) {
      const some = ids.slice(from, from + NAMES_AT_ONCE)
      found.push(...(yield* read<KeyName>(`SELECT id, name FROM keys WHERE id IN (${marks(some)})`, ...some)))
      yield* Effect.yieldNow
    }
    return found
  }),
  owned: (person) =>
    Effect.map(read<Pick<KeyRow, "id">>("SELECT id FROM keys WHERE owner = ?", person), (rows) =>
      rows.map(({ id }) => id)
    )
})

const listed = (filter: KeyFilter): ReadonlyArray<Statement | undefined> => {
  const { expiresBefore, now, owner, status, team, unusedSince, visibility } = filter
  return [
    visibleTo(visibility, "team", "id"),
    team === undefined ? undefined : ["team = ?", team],
    owner === undefined ? undefined : ["owner = ?", owner],
    status === undefined ? undefined : hasStatus(status, now),
    unusedSince === undefined ? undefined : ["coalesce(last_used_at, created_at) < ?", unusedSince],
    expiresBefore === undefined ? undefined : ["expires_at < ?", expiresBefore]
  ]
}

const EXPIRED = "(expires_at IS NOT NULL AND expires_at <= ?)"

/** The policy of a team begins with whether it is enabled. */
const SUSPENDED = `(suspended = 1 OR (kind = 'personal' AND NOT EXISTS (
  SELECT 1 FROM teams WHERE name = keys.team AND personal_keys LIKE '{"enabled":true%')))`

/** Statuses are in the order of `core/KeyStore.statusOf`. */
const hasStatus = (status: NonNullable<KeyFilter["status"]>, now: number): Statement => {
  switch (status) {
    case "revoked":
      return ["revoked_at IS NOT NULL"]
    case "expired":
      return [`revoked_at IS NULL AND ${EXPIRED}`, now]
    case "disabled":
      return [`revoked_at IS NULL AND NOT ${EXPIRED} AND disabled = 1`, now]
    case "suspended":
      return [`revoked_at IS NULL AND NOT ${EXPIRED} AND disabled = 0 AND ${SUSPENDED}`, now]
    case "active":
      return [`revoked_at IS NULL AND NOT ${EXPIRED} AND disabled = 0 AND NOT ${SUSPENDED}`, now]
  }
}

/**
 * Suspends the personal keys of a person (the first value) who is disabled or left the team, and resumes the others. Returns
 * IDs; each change has another time.
 */
export const FOLLOW_PERSON = `UPDATE keys SET suspended = 1 - suspended, updated_at = updated_at + 1
  WHERE owner = ? AND kind = 'personal' AND revoked_at IS NULL AND suspended = (SELECT count(*) FROM people
    WHERE id = keys.owner AND status = 'active'
      AND EXISTS (SELECT 1 FROM assignments WHERE person = people.id AND assignments.team = keys.team)) RETURNING id`

/** How many keys of a person in a team are not revoked. */
export const OWN_KEYS = "SELECT count(*) AS count FROM keys WHERE owner = ? AND team = ? AND revoked_at IS NULL"
