/**
 * Keys that are revoked, or a person who is demoted, at one gateway while requests go to all of them: once the call has returned none admits them
 * any more, also where one of them is frozen meanwhile and goes on later.
 */
import { Effect, Fiber } from "effect"
import { eventually, until } from "../support/Patience.ts"
import { administrate, chat, newKey } from "../support/postgres/Gateways.ts"
import { Browser, PUBLIC_URL, signInYaml, startProvider } from "../support/OpenIdProvider.ts"
import { type Answered, call } from "../support/RawHttp.ts"
import { completion, upstream } from "../support/Upstream.ts"
import { onPostgres, type OnPostgresOptions } from "./fleet/OnPostgres.ts"

/** What is taken away. `ask` is admitted until `take` has returned. */
interface Right {
  readonly ask: (url: string) => Effect.Effect<Answered>
  readonly take: (url: string) => Effect.Effect<Answered>
}

/** The configuration that it needs, and a right for each try, which all gateways admit at first. */
export interface Rights {
  readonly yaml: string
  readonly server?: string
  readonly begin: (urls: ReadonlyArray<string>) => Effect.Effect<(round: number) => Effect.Effect<Right>>
}

export interface RevokeOptions {
  /** Left out: keys. */
  readonly rights?: Rights
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

export const revokeRun = Effect.fnUntraced(function* ({
  frozen,
  onTry,
  rights = keys,
  topology,
  tries
}: RevokeOptions) {
  const { baseUrl } = yield* upstream(() => ({ body: completion("yes") }))
  const { server = "" } = rights
  const nodes = yield* onPostgres({ ...topology, server }, configuration(baseUrl) + rights.yaml)
  const urls = yield* nodes.start
  const next = yield* rights.begin(urls)
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
    const { ask, take } = yield* next(round)
    for (const url of urls) yield* eventually(ask(url), ({ status }) => status === 200)
    const seen: Array<Sent> = []
    const load = { isOver: false }
    const asking = Effect.fnUntraced(function* (place: number) {
      while (!load.isOver) {
        const at = performance.now()
        const { status } = yield* ask(urls[place] ?? "")
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
    const { status } = yield* take(urls[at] ?? "")
    const returned = performance.now()
    if (status !== 200) problems.push(`try ${round + 1}: the call got ${status}`)
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
        `try ${round + 1}: gateway ${one.place + 1} admitted a request ${Math.round(one.at - returned)} ms after the call had returned`
      )
    ;(victim === undefined ? answering : withFrozen).push(returned - began)
    onTry?.(
      `try ${round + 1}: the call at gateway ${at + 1} returned after ${Math.round(returned - began)} ms${victim === undefined ? "" : `, gateway ${victim + 1} was frozen`}; ` +
        `${wrong.length} of ${after.length} requests after that were admitted`
    )
  }
  if (late === 0) problems.push("nothing was asked after a call")
  return {
    late,
    admitted,
    answering: sorted(answering),
    withFrozen: sorted(withFrozen),
    problems
  } satisfies RevokeReport as RevokeReport
})

const keys: Rights = {
  yaml: "",
  begin: (urls) =>
    Effect.succeed((round) =>
      Effect.map(
        eventually(newKey(urls[(round + 1) % urls.length] ?? "", {}), ({ id }) => id.startsWith("key_")),
        ({ id, secret }) => ({
          ask: (url) => chat(url, secret),
          take: (url) => administrate(url, `/admin/keys/${id}`, undefined, "DELETE")
        })
      )
    )
}

/** A person with the role viewer, who signs in at the first gateway: its session holds at all of them. */
export const person = Effect.gen(function* () {
  const idp = yield* startProvider
  idp.accounts.set("ada", { name: "Ada Lovelace", groups: [] })
  const rights: Rights = {
    yaml: signInYaml(idp.issuer, "[{ team: red }]").replace(/^server:.*\n/m, ""),
    server: `, public_url: "${PUBLIC_URL}"`,
    begin: Effect.fnUntraced(function* ([first = ""]) {
      const browser = new Browser(first)
      const { url } = yield* Effect.promise(() => browser.follow(`${PUBLIC_URL}/admin/sign-in/corp`))
      const { json } = yield* Effect.promise(() => browser.exchange(url.split("#")[1] ?? ""))
      const cookies = Array.from(browser.cookies.get(new URL(first).host) ?? [], (pair) => pair.join("="))
      const headers = { "x-gateway-session": String(json.token), cookie: cookies.join("; ") }
      const ask = (url: string, path = "/admin/deployments") => call(url, { method: "GET", path, headers })
      const { json: me } = yield* ask(first, "/admin/me")
      const setRole = (url: string, role: "viewer" | null) =>
        administrate(url, `/admin/users/${me.id}`, { role }, "PATCH")
      return () => Effect.as(setRole(first, "viewer"), { ask, take: (url: string) => setRole(url, null) })
    })
  }
  return rights
})

/** Of values in order. */
export const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0

const sorted = (values: ReadonlyArray<number>): ReadonlyArray<number> => values.toSorted((a, b) => a - b)

const configuration = (provider: string) => `
providers: { up: { protocol: openai-chat, base_url: "${provider}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }]
`
