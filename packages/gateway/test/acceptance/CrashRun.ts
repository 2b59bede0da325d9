/**
 * Kills gateways under load, again and again, and looks at what they left: whatever a client saw finished is in the ledger, at the
 * price it was told, once; no reservation stays open; the books agree with each other, as they were left by the dead and as the next
 * ones take them over; and no budget is billed more than it has, whoever died while it was spent.
 */
import { Deferred, Effect, Random } from "effect"
import { call } from "../support/RawHttp.ts"
import { masterKey } from "../support/RunningGateway.ts"
import { upstream } from "../support/Upstream.ts"
import { askedTag, askUntil, type Bill, price, provider, scopesOf, type Told } from "./CrashLoad.ts"
import type { Blow, Booked, Fleet } from "./fleet/Fleet.ts"
import { fleetOf, type Topology } from "./fleet/Fleets.ts"

export interface CrashOptions {
  readonly rounds: number
  readonly seed: string
  /** A gateway is killed after at most so many answers. */
  readonly mostAnswers: number
  /** One process on a file where it is left out. */
  readonly topology?: Topology
  /** The cache is on, and requests come again. */
  readonly isCached?: boolean
  readonly onRound?: (line: string) => void
}

export interface CrashReport {
  /** Requests sent, of which so many were seen finished, and so many left a row that only others closed. */
  readonly requests: number
  readonly finished: number
  readonly abandoned: number
  readonly streams: number
  /** Responses of the cache, and how many of them the ledger lacks: a hit waits for no disk. */
  readonly hits: number
  readonly uncounted: number
  /** Finished answers that are not in the ledger, or are at another cost than the client was told. */
  readonly missing: number
  /** Requests with more than one row. */
  readonly doubled: number
  /** Requests that were charged for more than the ledger says. */
  readonly unbooked: number
  /** Small budgets that were spent meanwhile, how many of them were billed more than they had, and how much of all of them is booked. */
  readonly budgets: number
  readonly overspent: number
  readonly usedShare: number
  /** Rows that stayed open. */
  readonly leftOpen: number
  /** What was killed, and how often. */
  readonly killed: ReadonlyMap<Blow["kind"], number>
  /** The longest time without an answer, in ms, while something lived to give one. */
  readonly longestPauseMs: number
  /** Lines of `ledger verify`, of all rounds. */
  readonly differences: number
  /** What is wrong, in words; empty when nothing is. */
  readonly problems: ReadonlyArray<string>
}

const CLIENTS = 12
/** One in so many clients spends a small budget, of which there is another one in each round. */
const THRIFTY = 3
const LEAST_ANSWERS = 10
/** After the answers a moment more, in ms: however fast the machine is, the gateway dies in the middle of work. */
const LONGEST_MOMENT = 20
/** Hits that a kill may take out of the ledger: those of the last 5 ms of each client. */
const MOST_UNCOUNTED = CLIENTS * 5
const MOST_WAITED = "60 seconds"

/** A small budget in nano-USD: rather less than what is asked for in a round, and enough for some requests at their worst case. */
const smallBudget = (answers: number): number => 1_000_000 + answers * 20_000

export const crashRun = Effect.fnUntraced(function* (options: CrashOptions) {
  const { isCached = false, mostAnswers, onRound, rounds, seed, topology = "file" } = options
  const bill: Bill = new Map()
  const { baseUrl } = yield* upstream(provider(bill))
  const fleet = yield* fleetOf(topology, configuration(baseUrl) + (isCached ? "cache: { mode: on }\n" : ""))
  const told: Array<Told> = []
  const thrifty: Array<Thrifty> = []
  const leftOpen: Array<string> = []
  const differences: Array<string> = []
  const killed = new Map<Blow["kind"], number>()
  let main: NewKey | undefined
  let number = 0
  let longestPauseMs = 0

  const draw = Effect.all({
    answers: Random.nextIntBetween(LEAST_ANSWERS, mostAnswers),
    moment: Random.nextIntBetween(0, LONGEST_MOMENT)
  })
  const drawn = yield* Random.withSeed(
    Effect.forEach(Array.from({ length: rounds }), () => Random.nextIntBetween(0, fleet.parts - 1)),
    seed
  )
  const blows = fleet.blows(drawn)
  const lives = yield* Random.withSeed(
    Effect.forEach(blows, (blow) => Effect.map(draw, (life) => ({ ...life, blow }))),
    seed
  )
  for (const [round, { answers, blow, moment }] of lives.entries()) {
    const urls = yield* fleet.start
    leftOpen.push(...stillOpen(yield* fleet.atRest, `round ${round + 1} began`))
    main ??= yield* newKey(urls, 1e12, 0)
    const limit = smallBudget(answers)
    const own = { ...(yield* newKey(urls, limit, round)), limit }
    thrifty.push(own)
    // The load ends before the round does.
    // @effect-diagnostics-next-line abortControllerInEffect:off
    const over = new AbortController()
    const half = Deferred.makeUnsafe<void>()
    const enough = Deferred.makeUnsafe<void>()
    let left = answers
    let heardAt: number | undefined
    let pauseMs = 0
    const hear = (what: Told) => {
      told.push(what)
      if (what.cost === undefined) return
      const now = performance.now()
      pauseMs = Math.max(pauseMs, now - (heardAt ?? now))
      heardAt = now
      left--
      if (left === Math.floor(answers / 2)) Deferred.doneUnsafe(half, Effect.void)
      if (left === 0) Deferred.doneUnsafe(enough, Effect.void)
    }
    const clients = Array.from({ length: CLIENTS }, (_, first) => {
      const key = first % THRIFTY === 0 ? own.secret : (main?.secret ?? "")
      return askUntil({ urls, first, key, next: () => ++number, isCached, told: hear, over: over.signal })
    })
    yield* within(Deferred.await(half), fleet, `round ${round + 1}, before anything was killed`)
    const came = blow.during === undefined ? undefined : yield* blow.during
    yield* within(Deferred.await(enough), fleet, `round ${round + 1}, after the end of a ${blow.kind}`)
    yield* Effect.sleep(moment)
    yield* blow.after
    over.abort()
    yield* Effect.promise(() => Promise.all(clients))
    killed.set(blow.kind, (killed.get(blow.kind) ?? 0) + 1)
    longestPauseMs = Math.max(longestPauseMs, pauseMs)
    const { open, problems, rows } = yield* fleet.verified
    differences.push(...problems.map((problem) => `after kill ${round + 1}: ${problem}`))
    onRound?.(
      `round ${round + 1}: ${blow.kind} killed, ${answers} answers and ${moment} ms, at most ${Math.round(pauseMs)} ms without one${came === undefined ? "" : `, ${came}`}; ` +
        `${told.length} requests so far, ${rows} rows closed, ${open} open: ` +
        (problems.length === 0 ? "the books agree" : `${problems.length} differences`)
    )
  }
  const urls = yield* fleet.start
  const rows = yield* fleet.atRest
  leftOpen.push(...stillOpen(rows, "the last start"))
  const byTag = Map.groupBy(rows, ({ tags }) => tags)
  const byAsked = Map.groupBy(rows, ({ tags }) => askedTag(tags, isCached))
  const wrong = told.flatMap(({ problem }) => problem ?? [])
  const hits = told.filter(({ isHit }) => isHit)
  const uncounted = hits.filter(({ tag }) => !byTag.has(tag))
  const missing = told.filter((one) => !uncounted.includes(one)).flatMap((one) => missed(one, byTag.get(one.tag) ?? []))
  if (uncounted.length > rounds * MOST_UNCOUNTED) missing.push(`${uncounted.length} hits are not in the ledger`)
  const doubled = [...byTag].flatMap(([tag, { length }]) => (length > 1 ? [`${tag} is booked ${length} times`] : []))
  const unbooked = fleet.booksFirst
    ? [...bill].flatMap(([tag, cost]) => notBooked(tag, cost, byAsked.get(tag) ?? []))
    : []
  const spent = thrifty.map((one) => spentOf(one, rows, isCached ? new Map() : bill))
  const overspent = spent.flatMap(({ problems }) => problems)
  differences.push(...(yield* fleet.verified).problems, ...(yield* sums(urls, main, rows)))
  return {
    requests: told.length,
    finished: told.filter(({ cost }) => cost !== undefined).length,
    hits: hits.length,
    uncounted: uncounted.length,
    streams: told.filter(({ stream }) => stream).length,
    abandoned: rows.filter(({ status }) => status === "abandoned").length,
    missing: missing.length,
    doubled: doubled.length,
    unbooked: unbooked.length,
    budgets: thrifty.length,
    overspent: overspent.length,
    usedShare: sumOf(spent, ({ booked }) => booked) / sumOf(thrifty, ({ limit }) => limit),
    leftOpen: leftOpen.length,
    killed,
    longestPauseMs,
    differences: differences.length,
    problems: [...wrong, ...missing, ...doubled, ...unbooked, ...overspent, ...leftOpen, ...differences]
  } satisfies CrashReport as CrashReport
})

/** A client that hangs up closes its call at once: what it asked for is booked before the next round. */
const configuration = (baseUrl: string) => `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: ${price.input}, output: ${price.output} }, bounds: { reasoning_tokens: 0 } }]
failover: { finish_abandoned: 0s }
`

const within = <A>(awaited: Effect.Effect<A>, fleet: Fleet, when: string) =>
  Effect.timeoutOrElse(awaited, {
    duration: MOST_WAITED,
    orElse: () => Effect.die(new Error(`${when}: no more answers for ${MOST_WAITED}.\n${fleet.said()}`))
  })

interface NewKey {
  readonly id: string
  readonly secret: string
}

/** What of a small budget its model may spend, each end user, and each session. */
const parts = { rule: 0.9, endUser: 0.6, session: 0.5 }

/** With a limit and a budget of every kind of scope, in nano-USD, so that all books are kept. */
const newKey = Effect.fnUntraced(function* (urls: ReadonlyArray<string>, limit: number, turn: number) {
  const budgets = (share = 1) => ({ budgets: [{ usd: (limit * share) / 1e9, window: "total" }] })
  const body = {
    name: "crash",
    limits: { rpm: 1_000_000 },
    ...budgets(),
    model_rules: [{ match: ["up/m"], ...budgets(parts.rule) }],
    per_end_user: budgets(parts.endUser),
    per_session: budgets(parts.session)
  }
  const { json } = yield* call(urls[turn % urls.length] ?? "", { path: "/admin/keys", key: masterKey, body })
  return { id: String(json.id), secret: String(json.key) } satisfies NewKey
})

const stillOpen = (rows: ReadonlyArray<Booked>, when: string): ReadonlyArray<string> =>
  rows.filter(({ status }) => status === "reserved").map(({ tags }) => `${tags} was still reserved when ${when}`)

/** What a client was told against what the ledger says. */
const missed = ({ cost, stream, tag }: Told, [row]: ReadonlyArray<Booked>): ReadonlyArray<string> => {
  const what = `${tag} (${stream ? "stream" : "plain"})`
  if (cost === undefined) return []
  if (row === undefined) return [`${what} was finished and is not in the ledger`]
  if (row.status === "settled" && row.cost === cost) return []
  return [`${what} was finished at ${cost} nano-USD and is ${row.status} at ${row.cost}`]
}

/** What the provider charges against what the ledger says. */
const notBooked = (tag: string, cost: number, rows: ReadonlyArray<Booked>): ReadonlyArray<string> => {
  const booked = sumOf(rows, (row) => row.cost)
  return booked >= cost ? [] : [`${tag} was charged with ${cost} nano-USD and is booked at ${booked}`]
}

interface Thrifty extends NewKey {
  readonly limit: number
}

/** What was charged and booked of a small budget, and of those of its scopes. */
const spentOf = ({ id, limit }: Thrifty, rows: ReadonlyArray<Booked>, bill: Bill) => {
  const own = rows.filter(({ key_id }) => key_id === id)
  const scopes = [
    ["key", own, 1] as const,
    ["model rule", own, parts.rule] as const,
    ...[...Map.groupBy(own, ({ tags }) => scopesOf(tags).endUser)].map(
      ([, of]) => ["end user", of, parts.endUser] as const
    ),
    ...[...Map.groupBy(own, ({ tags }) => scopesOf(tags).session)].map(
      ([, of]) => ["session", of, parts.session] as const
    )
  ]
  const problems = scopes.flatMap(([what, of, share]) => {
    const booked = sumOf(of, ({ cost }) => cost)
    const charged = sumOf([...new Set(of.map(({ tags }) => tags))], (tag) => bill.get(tag) ?? 0)
    const most = limit * share
    return booked <= most && charged <= most
      ? []
      : [`${what}: ${charged} charged and ${booked} booked of ${most} nano-USD`]
  })
  const booked = sumOf(own, ({ cost }) => cost)
  return { booked, problems }
}

const sumOf = <A>(all: ReadonlyArray<A>, amount: (one: A) => number): number =>
  all.reduce((sum, one) => sum + amount(one), 0)

/** The rollups and the budget against the rows. */
const sums = Effect.fnUntraced(function* (
  urls: ReadonlyArray<string>,
  main: NewKey | undefined,
  rows: ReadonlyArray<Booked>
) {
  const [url = ""] = urls
  const own = rows.filter(({ key_id }) => key_id === main?.id)
  const spend = yield* call(url, { method: "GET", path: "/admin/spend", key: masterKey })
  const budget = yield* call(url, { method: "GET", path: "/v1/key", key: main?.secret ?? "" })
  const hits = rows.filter(({ cost, status }) => status === "settled" && cost === 0).length
  if ((spend.json.total?.cache_hits ?? 0) !== hits) return [`the spend report does not count ${hits} hits`]
  return [
    { what: "the spend report", usd: spend.json.total?.cost_usd, of: rows },
    { what: "the budget", usd: budget.json.budgets?.[0]?.spent_usd, of: own }
  ].flatMap(({ of, usd, what }): ReadonlyArray<string> => {
    const total = sumOf(of, ({ cost }) => cost)
    return Math.round(Number(usd) * 1e9) === total
      ? []
      : [`${what} says ${usd} USD where the rows sum up to ${total / 1e9}`]
  })
})
