/**
 * Keys that are revoked at one gateway while callers ask all of them: once DELETE has returned none admits them any more, also where one of them
 * is frozen meanwhile and goes on later.
 */
import { Effect, Fiber } from "effect"
import { eventually, until } from "../support/Patience.ts"
import { administrate, chat, newKey } from "../support/postgres/Gateways.ts"
import { completion, upstream } from "../support/Upstream.ts"
import { onPostgres, type OnPostgresOptions } from "./fleet/OnPostgres.ts"

export interface RevokeOptions {
  readonly topology: OnPostgresOptions
  readonly tries: number
  /** In so many of them a gateway is frozen. */
  readonly frozen: number
  readonly onTry?: (line: string) => void
}

export interface RevokeReport {
  /** Requests with a revoked key that were sent, or could first be read, after DELETE had returned; and those of them that were admitted. */
  readonly late: number
  readonly admitted: number
  /** Milliseconds until DELETE returned, in order: where all answered, and where one was frozen. */
  readonly answering: ReadonlyArray<number>
  readonly withFrozen: ReadonlyArray<number>
  readonly problems: ReadonlyArray<string>
}

/** Callers of each gateway. */
const CALLERS = 2
/** From an answer to the next request of the same caller: what is measured is not a queue. */
const BETWEEN_MS = 20
/** Requests that each gateway has to refuse in each try. */
const LEAST_REFUSED = 5

interface Sent {
  readonly place: number
  readonly at: number
  readonly status: number
}

export const revokeRun = Effect.fnUntraced(function* ({ frozen, onTry, topology, tries }: RevokeOptions) {
  const { baseUrl } = yield* upstream(() => ({ body: completion("yes") }))
  const nodes = yield* onPostgres(topology, configuration(baseUrl))
  const urls = yield* nodes.start
  const places = Array.from(urls.keys())
  const answering: Array<number> = []
  const withFrozen: Array<number> = []
  const problems: Array<string> = []
  let late = 0
  let admitted = 0

  for (let round = 0; round < tries; round++) {
    const icy = Math.floor(((round + 1) * frozen) / tries) > Math.floor((round * frozen) / tries)
    const at = round % urls.length
    const victim = icy ? (round + 1) % urls.length : undefined
    const { id, secret } = yield* eventually(newKey(urls[(round + 1) % urls.length] ?? "", {}), ({ id }) =>
      id.startsWith("key_")
    )
    for (const url of urls) yield* eventually(chat(url, secret), ({ status }) => status === 200)
    const seen: Array<Sent> = []
    const load = { isOver: false }
    const asking = Effect.fnUntraced(function* (place: number) {
      while (!load.isOver) {
        const at = performance.now()
        const { status } = yield* chat(urls[place] ?? "", secret)
        seen.push({ place, at, status })
        yield* Effect.sleep(BETWEEN_MS)
      }
    })
    const callers = yield* Effect.forkChild(
      Effect.forEach(
        places.flatMap((place) => Array.from({ length: CALLERS }, () => place)),
        asking,
        {
          concurrency: "unbounded",
          discard: true
        }
      )
    )
    yield* until(() => places.every((place) => seen.some((one) => one.place === place)))
    if (victim !== undefined) yield* nodes.signal(victim, "SIGSTOP")
    const began = performance.now()
    const { status } = yield* administrate(urls[at] ?? "", `/admin/keys/${id}`, undefined, "DELETE")
    const returned = performance.now()
    if (status !== 200) problems.push(`try ${round + 1}: DELETE got ${status}`)
    const refusals = (place: number) => seen.filter((one) => one.place === place && one.at > returned).length
    const awaited = places.filter((place) => place !== victim)
    yield* until(() => awaited.every((place) => refusals(place) >= LEAST_REFUSED))
    load.isOver = true
    // What reached the frozen one is read by it only now.
    if (victim !== undefined) yield* nodes.signal(victim, "SIGCONT")
    yield* Fiber.join(callers)
    const after = seen.filter((one) => one.at > (one.place === victim ? began : returned))
    const wrong = after.filter((one) => one.status === 200)
    late += after.length
    admitted += wrong.length
    for (const one of wrong)
      problems.push(
        `try ${round + 1}: gateway ${one.place + 1} admitted a request ${Math.round(one.at - returned)} ms after DELETE had returned`
      )
    ;(victim === undefined ? answering : withFrozen).push(returned - began)
    onTry?.(
      `try ${round + 1}: DELETE at gateway ${at + 1} returned after ${Math.round(returned - began)} ms${victim === undefined ? "" : `, gateway ${victim + 1} was frozen`}; ` +
        `${wrong.length} of ${after.length} requests after that were admitted`
    )
  }
  if (late === 0) problems.push("nothing was asked after a DELETE")
  return {
    late,
    admitted,
    answering: sorted(answering),
    withFrozen: sorted(withFrozen),
    problems
  } satisfies RevokeReport as RevokeReport
})

/** Of values in order. */
export const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0

const sorted = (values: ReadonlyArray<number>): ReadonlyArray<number> => values.toSorted((a, b) => a - b)

const configuration = (provider: string) => `
providers: { up: { protocol: openai-chat, base_url: "${provider}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }]
`
