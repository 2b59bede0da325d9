/** The ledger's statements. Each is one round trip and one transaction. Rows are JSON, one text per kind. */
import { rare, sums, tokens } from "../../records/Columns.ts"
import { QUARTER_MS } from "../../records/Scopes.ts"

/** Columns of a row at its start, with their types in JSON. */
const identity = {
  id: "bigint",
  request_id: "text",
  attempt: "int",
  at: "bigint",
  key_id: "text",
  team: "text",
  provider: "text",
  model: "text",
  deployment: "text",
  tags: "text",
  reserved: "bigint",
  operation: "text",
  subjects: "text"
}
const price = { price_source: "text", price_version: "text" }
const baseline = { baseline: "bigint" }
/** Columns of open attempts. */
const growth = { fixed: "bigint", per_second: "bigint" }
const usage = Object.fromEntries([...tokens, ...rare].map((name) => [name, "bigint"]))
/** Columns that the end adds. */
const outcome = {
  status: "text",
  settled_at: "bigint",
  cost: "bigint",
  estimated: "boolean",
  counts: "smallint",
  service_tier: "text",
  ...usage
}

type Columns = Readonly<Record<string, string>>

/** `(id bigint, …)`, as `json_to_recordset` requires it. */
const typed = (...all: ReadonlyArray<Columns>): string =>
  `(${Object.entries(Object.assign({}, ...all) as Columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(", ")})`

const names = (...all: ReadonlyArray<Columns>): string => Object.keys(Object.assign({}, ...all) as Columns).join(", ")

const from = (prefix: string, ...all: ReadonlyArray<Columns>): string =>
  Object.keys(Object.assign({}, ...all) as Columns)
    .map((name) => `${prefix}.${name}`)
    .join(", ")

/** Token counts are 0 where a row has none, rare classes null. */
const outcomeOf = (prefix: string): string =>
  Object.keys(outcome)
    .map((name) => (tokens.includes(name) ? `coalesce(${prefix}.${name}, 0)` : `${prefix}.${name}`))
    .join(", ")

const ledgerColumns = `node, ${names(identity, price, baseline, outcome)}`

const dimensions = "key_id, team, provider, model, tags"

/** The scopes of a row beyond its key and team. */
const subjectOf = "json_array_elements_text(nullif(subjects, '')::json) AS subject"

/** A rollup of `recorded`. `unit` is the milliseconds of its `time`. */
const rollupOf = (table: string, time: string, unit: number, more: string, from: string, sign: "" | "-") => {
  const cell = `${time}, ${dimensions}, node`
  return `INSERT INTO ${table} AS r (${more === "" ? "" : "scope, "}${cell}, last_at, ${sums.join(", ")})
  SELECT ${more}(at / ${unit})::int, ${dimensions}, node, max(at),
    ${sign}count(*) FILTER (WHERE counts > 0), ${sign}count(*) FILTER (WHERE counts = 2), ${sign}sum(cost),
    ${sign}coalesce(sum(cost) FILTER (WHERE estimated), 0),
    ${sign}count(*) FILTER (WHERE counts > 0 AND baseline IS NOT NULL),
    ${sign}coalesce(sum(cost) FILTER (WHERE baseline IS NOT NULL), 0), ${sign}coalesce(sum(baseline), 0),
    ${tokens.map((name) => `${sign}sum(${name})`).join(", ")}, ${rare.map((name) => `${sign}coalesce(sum(${name}), 0)`).join(", ")}
  FROM ${from} GROUP BY ${more}(at / ${unit})::int, ${dimensions}, node
  ON CONFLICT (${more === "" ? "" : "scope, "}${cell}) DO UPDATE SET last_at = greatest(r.last_at, excluded.last_at),
    ${sums.map((name) => `${name} = r.${name} + excluded.${name}`).join(", ")}`
}

/** What recorded rows add to rollups and to the spend of budgets in the same transaction; with `-`, what they subtract again. */
const summedUp = (sign: "" | "-" = "") => `summed AS (
  ${rollupOf("rollup", "hour", 3_600_000, "", "booked", sign)}
), scoped AS (
  ${rollupOf("scope_rollup", "slot", QUARTER_MS, "subject, ", `booked, ${subjectOf}`, sign)}
), spent AS (
  INSERT INTO spend AS s (scope, slot, node, cost)
  SELECT scope, slot, node, ${sign}sum(cost) FROM (
    SELECT 'key:' || key_id AS scope, (at / ${QUARTER_MS})::int AS slot, node, cost FROM booked WHERE cost > 0
    UNION ALL SELECT 'team:' || team, (at / ${QUARTER_MS})::int, node, cost FROM booked WHERE cost > 0 AND team <> ''
    UNION ALL SELECT subject COLLATE "C", (at / ${QUARTER_MS})::int, node, cost FROM booked, ${subjectOf} WHERE cost > 0
  ) AS costs GROUP BY scope, slot, node
  ON CONFLICT (scope, slot, node) DO UPDATE SET cost = s.cost + excluded.cost
)`

/** The group of node $1 must be number $2, or nothing happens: a group that is sent twice counts once. `applied` is 0 then. */
const turn = `turn AS (
  UPDATE nodes SET flushed = $2, beats = beats + 1 WHERE id = $1 AND flushed = $2 - 1 RETURNING id
), opened AS (
  INSERT INTO attempts_open (node, ${names(identity, price, baseline, growth)})
  SELECT turn.id, ${from("x", identity, price, baseline, growth)} FROM turn,
    json_to_recordset($3::json) AS x${typed(identity, price, baseline, growth)}
  ON CONFLICT DO NOTHING
)`

/** Attempts that only start, $3, without waiting for the disk: the next group that waits includes them. */
export const openOnly = `WITH unhurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)), ${turn}
SELECT count(*)::int AS applied FROM turn, unhurried`

/** All gateways mark windows in one order; otherwise two that mark the same ones could deadlock. */
const inTurn = 'ORDER BY scope, "window", start'

/** There are too many windows of other scopes to mark. */
const isMarked = (scope: string) => `(${scope} LIKE 'key:%' OR ${scope} LIKE 'team:%')`

/** What the costs leave of the node's quota leases. */
const shrunk = "json_to_recordset($8::json) AS x(scope text, kind text, start bigint, amount bigint)"

/**
 * Starts, $3; outcomes of open attempts, $4; complete attempts, $5; attempts whose start was lost, $6; windows charged for the
 * first time, $7; quota leases that the costs are taken from, $8.
 */
export const flush = `WITH ${turn}, outcome AS MATERIALIZED (
  SELECT x.* FROM turn, json_to_recordset($4::json) AS x${typed({ id: "bigint", unpriced: "boolean", other_version: "text" }, baseline, outcome)}
), gone AS (
  DELETE FROM attempts_open AS o USING outcome WHERE o.node = $1 AND o.id = outcome.id RETURNING o.*
), booked AS (
  INSERT INTO ledger (${ledgerColumns})
  SELECT gone.node, ${from("gone", identity)},
    CASE WHEN x.unpriced THEN NULL ELSE gone.price_source END,
    CASE WHEN x.unpriced THEN NULL ELSE coalesce(x.other_version, gone.price_version) END,
    x.baseline, ${outcomeOf("x")} FROM gone JOIN outcome AS x USING (id)
  UNION ALL
  SELECT turn.id, ${from("x", identity, price, baseline)}, ${outcomeOf("x")} FROM turn,
    json_to_recordset($5::json) AS x${typed(identity, price, baseline, outcome)}
  UNION ALL
  SELECT turn.id, ${from("x", identity, price, baseline)}, ${outcomeOf("x")} FROM turn,
    json_to_recordset($6::json) AS x${typed(identity, price, baseline, outcome)}
    WHERE NOT EXISTS (SELECT FROM ledger AS l WHERE l.at = x.at AND l.node = $1 AND l.id = x.id)
  RETURNING *
), ${summedUp()}, marked AS (
  INSERT INTO budget_windows (scope, "window", start)
  SELECT x.scope, x."window", x.start FROM turn, json_to_recordset($7::json) AS x(scope text, "window" text, start bigint)
  ${inTurn}
  ON CONFLICT DO NOTHING
), emptied AS (
  DELETE FROM shares AS s USING turn, ${shrunk}
  WHERE x.amount <= 0 AND s.node = turn.id AND s.scope = x.scope AND s.kind = x.kind AND s.start = x.start
), shrunk AS (
  UPDATE shares AS s SET amount = x.amount FROM turn, ${shrunk}
  WHERE x.amount > 0 AND s.node = turn.id AND s.scope = x.scope AND s.kind = x.kind AND s.start = x.start
)
SELECT count(*)::int AS applied FROM turn`

/** Rows $2 that started and ended elsewhere, recorded for node $1. The caller knows that the store does not have them yet. */
export const book = `WITH booked AS (
  INSERT INTO ledger (${ledgerColumns})
  SELECT $1::int, ${from("x", identity, price, baseline)}, ${outcomeOf("x")}
  FROM json_to_recordset($2::json) AS x${typed(identity, price, baseline, outcome)}
  RETURNING *
), ${summedUp()}
SELECT request_id AS added FROM booked`

/** The number of the newest group that the server has of node $1; no row if the node was declared dead. */
export const flushed = "SELECT flushed FROM nodes WHERE id = $1"

/** The spend of windows $1 (`n`, `scope`, `first` and `last` slot), in the order of `n`. Marks them as requested. */
export const openWindows = `WITH marked AS (
  INSERT INTO budget_windows (scope, "window", start)
  SELECT scope, "window", start FROM json_to_recordset($1::json) AS x(scope text, "window" text, start bigint)
  WHERE ${isMarked("scope")} ${inTurn}
  ON CONFLICT DO NOTHING
)
SELECT (SELECT coalesce(sum(cost), 0) FROM spend AS s
  WHERE s.scope = x.scope AND s.slot >= x.first AND s.slot < x.last)::text AS spent
FROM json_to_recordset($1::json) AS x(n int, scope text, first bigint, last bigint) ORDER BY x.n`

/** The spend of windows that were requested or charged before; null for others. */
export const knownWindows = `SELECT (SELECT sum(s.cost) FROM spend AS s
  WHERE s.scope = x.scope AND s.slot >= x.first AND s.slot < x.last)::text AS spent,
  (NOT ${isMarked("x.scope")} OR EXISTS (SELECT FROM budget_windows AS w
    WHERE w.scope = x.scope AND w."window" = x."window" AND w.start = x.start)) AS known
FROM json_to_recordset($1::json) AS x(n int, scope text, "window" text, start bigint, first bigint, last bigint) ORDER BY x.n`

/** What keys, teams and other scopes spent in hour $2 (since the epoch), over all nodes. */
export const hourCosts = `SELECT (coalesce((SELECT sum(cost) FROM rollup WHERE key_id = x.key_id AND hour = $2), 0) +
  coalesce((SELECT sum(cost) FROM rollup WHERE team = x.team AND hour = $2), 0) +
  coalesce((SELECT sum(cost) FROM scope_rollup AS r WHERE r.scope = x.scope AND slot >= $2 * 4 AND slot < $2 * 4 + 4), 0))::text AS cost
FROM json_to_recordset($1::json) AS x(n int, key_id text, team text, scope text) ORDER BY x.n`

/** In nano-USD, more than any row can cost: the largest budget. */
const LARGEST = 9_000_000_000_000_000

/** Closes what dead nodes left open, at $1 by rule $2. $3 (`node`, `until`): the latest times of death. See `abandonedCost`. */
export const abandon = `WITH gone AS (
  DELETE FROM attempts_open AS o WHERE NOT EXISTS (SELECT FROM nodes AS n WHERE n.id = o.node) RETURNING o.*
), charged AS (
  SELECT gone.*, CASE $2::text WHEN 'void' THEN 0 WHEN 'book' THEN least(reserved, ${LARGEST}) ELSE least(reserved, ${LARGEST},
    CASE WHEN dead.until >= at THEN fixed + ceil(per_second::numeric * (dead.until - at) / 1000) END) END::bigint AS cost
  FROM gone LEFT JOIN json_to_recordset($3::json) AS dead(node int, until bigint) ON dead.node = gone.node
), booked AS (
  INSERT INTO ledger (${ledgerColumns})
  SELECT node, ${names(identity, price)}, CASE WHEN baseline IS NULL THEN NULL ELSE cost END, 'abandoned', $1,
    cost, true, 2, NULL, ${tokens.map(() => "0").join(", ")}, ${rare.map(() => "NULL::bigint").join(", ")}
  FROM charged RETURNING *
), ${summedUp()}
SELECT node, id, request_id, at FROM booked ORDER BY at, node, id`

/** Reopens attempts $2 (`id`, `at`) of node $1, which others declared dead by mistake. */
export const reopen = `WITH booked AS (
  DELETE FROM ledger AS l USING json_to_recordset($2::json) AS x(id bigint, at bigint)
  WHERE l.at = x.at AND l.node = $1 AND l.id = x.id AND l.status = 'abandoned' RETURNING l.*
), opened AS (
  INSERT INTO attempts_open (node, ${names(identity, price, baseline)})
  SELECT node, ${names(identity, price)}, CASE WHEN baseline IS NULL THEN NULL ELSE reserved END FROM booked
  ON CONFLICT DO NOTHING
), ${summedUp("-")}
SELECT count(*)::int AS reopened FROM booked`

/** The newest recorded group of node $1 among $2 (`number`, and `id` and `at` of an attempt that ended in it). */
export const newestBooked = `SELECT x.number FROM json_to_recordset($2::json) AS x(number bigint, id bigint, at bigint)
  JOIN ledger AS l ON l.at = x.at AND l.node = $1 AND l.id = x.id AND l.status <> 'abandoned'
  ORDER BY x.number DESC LIMIT 1`

export const openOf = "SELECT id FROM attempts_open WHERE node = $1"

/** Reports and requests quota of node $1, as number $2. See the migration that creates the function. */
export const moveShares = "SELECT * FROM move_shares($1, $2, $3::json, $4::json, $5::json)"

/** All quota that node $1 holds, as number $2: $3. */
export const declareShares = "SELECT declare_shares($1, $2, $3::json) AS known"

/** Frees the quota of dead nodes. */
export const freeShares = "SELECT free_shares()::text AS freed"

/** Spent and reserved in windows, by `n`: $1 (`n`, `key_id`, `team`, `scope`, `start`, `end_`, `first` and `last` slot). */
export const standing = `SELECT (SELECT coalesce(sum(cost), 0) FROM spend AS s
  WHERE s.scope = x.scope AND s.slot >= x.first AND s.slot < x.last)::text AS spent,
  (SELECT coalesce(sum(reserved), 0) FROM attempts_open AS o WHERE o.at >= x.start AND o.at < x.end_
    AND (o.key_id = x.key_id OR o.team = x.team OR (x.key_id IS NULL AND x.team IS NULL
      AND x.scope IN (SELECT json_array_elements_text(nullif(o.subjects, '')::json)))))::text AS reserved
FROM json_to_recordset($1::json) AS x(n int, scope text, key_id text, team text, start bigint, end_ bigint, first bigint, last bigint) ORDER BY x.n`
