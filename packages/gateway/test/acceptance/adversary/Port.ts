/**
 * The same callers and providers through real sockets: a gateway as the composition root builds it, with its store on disk, and the
 * scripted provider as a server. Answers come so many times faster than they would.
 */
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { PublicFetch } from "../../../src/providers/transport/PublicFetch.ts"
import { type LedgerRow, startGateway } from "../../support/RunningGateway.ts"
import { draw, type Drawn, Files } from "./Caller.ts"
import { chanceOf } from "./Chance.ts"
import { drawOwners } from "./Owners.ts"
import { asked, bill, isRefusal, markOf, type World } from "./Provider.ts"
import { fetchFrom, type Played, type Spent } from "./Run.ts"
import { addresses, configured } from "./Settings.ts"
import { secondsOf } from "./Plan.ts"
import { piecesOf, refusalOf, wholeOf } from "./Wire.ts"

const FASTER = 20
const REQUESTS = 12
/** How many of them at once. */
const AT_ONCE = 3
const PATIENCE_MS = 60_000

/** A server on a port of its own until the scope closes; each provider has its own path. */
const provider = Effect.fnUntraced(function* (world: World) {
  const server = createServer((request, response) => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => answer(world, request, Buffer.concat(pieces).toString("utf8"), response))
  })
  yield* Effect.callback<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

const answer = (world: World, request: IncomingMessage, text: string, response: ServerResponse): void => {
  const one = asked(world, request.url!.split("/")[1]!, text)
  const { model, plan } = one
  const isStream = (JSON.parse(text) as { stream?: boolean }).stream === true
  if (isRefusal(plan)) {
    response.writeHead(plan.status, { "content-type": "application/json" })
    return void response.end(refusalOf(model, plan.status, plan.message))
  }
  const end = secondsOf(plan)
  const began = performance.now()
  const pieces = isStream ? piecesOf(model, plan) : [{ at: end, text: wholeOf(model, plan) }]
  const timers = pieces.map(({ at, text }, index) =>
    setTimeout(
      () => {
        // After a pause of the machine timers of different lengths may fire in another order.
        if (!response.headersSent)
          response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" })
        response.write(text)
        if (index === pieces.length - 1) response.end()
      },
      (at * 1000) / FASTER
    )
  )
  response.on("close", () => {
    for (const timer of timers) clearTimeout(timer)
    const seconds = ((performance.now() - began) / 1000) * FASTER
    const isComplete = response.writableFinished || (!isStream && model.finishesAlone)
    bill(world, one, plan, isComplete ? end : Math.min(seconds, end * 0.999))
  })
}

interface Got {
  /** 0 where the caller left, or the connection broke. */
  readonly status: number
  readonly text: string
}

/** One request on a connection of its own, given up where its caller gives up. */
const ask = (url: string, secret: string, { leaves, number, sent }: Drawn): Effect.Effect<Got> =>
  Effect.callback((resume) => {
    const outgoing = httpRequest(`${url}${sent.path}`, {
      method: "POST",
      agent: false,
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        "x-gateway-tags": `n${number}`
      }
    })
    const end = (status: number, text: string) => resume(Effect.succeed({ status, text }))
    const timer = leaves === undefined ? undefined : setTimeout(() => outgoing.destroy(), leaves / FASTER)
    outgoing.on("close", () => clearTimeout(timer))
    outgoing.on("error", () => end(0, ""))
    outgoing.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      response.on("error", () => end(0, ""))
      response.on("end", () => end(response.statusCode ?? 0, text))
    })
    outgoing.end(JSON.stringify(sent.body))
  })

/** Plays one run after the other, on keys of their own. */
export const playThroughPort = Effect.fnUntraced(function* (seed: number, runs: number) {
  const files = new Files()
  const world: World = { seed, told: files.holds, project: "default", bills: [], seen: new Set(), refusals: new Map() }
  const url = yield* provider(world)
  const at = Object.fromEntries(Object.keys(addresses).map((name) => [name, `${url}/${name}/v1`]))
  const gateway = yield* startGateway({ yaml: yamlOf(configured(at)) }).pipe(
    Effect.provideService(PublicFetch, fetchFrom(files))
  )
  const played: Array<Played> = []
  for (let run = 0; run < runs; run++) {
    const chance = chanceOf(seed + run, "port")
    const owners = drawOwners(chance).filter(({ budgets }) => budgets.length > 0)
    const keys = yield* Effect.forEach(owners, ({ budgets }) => gateway.createKey({ budgets }))
    if (keys.length === 0) continue
    const drawn = Array.from({ length: REQUESTS }, (_, index) => ({
      key: chance.pick(keys),
      drawn: draw(run * REQUESTS + index, chance, files)
    }))
    const got = yield* Effect.forEach(drawn, ({ drawn, key }) => ask(gateway.url, key.secret, drawn), {
      concurrency: AT_ONCE
    })
    const rows = yield* settled(gateway.ledger)
    const billedOf = (number: number) =>
      world.bills.filter(({ mark }) => mark === markOf(number)).reduce((sum, { nano }) => sum + nano, 0)
    const judged = drawn.map(({ drawn }, index): Played["judged"][number] => {
      const mine = rows.filter(({ tags }) => tags === `n${drawn.number}`)
      const { status, text } = got[index]!
      const isServed = world.bills.some(({ mark }) => mark === markOf(drawn.number))
      return {
        drawn,
        outcome: isServed ? (status === 200 || status === 0 ? "admitted" : "failed") : "refused",
        why: status === 200 ? "" : `${status} ${/"code":"([^"]*)"/.exec(text)?.[1] ?? ""}`,
        billed: billedOf(drawn.number),
        booked: mine.reduce((sum, { cost }) => sum + cost, 0),
        estimated: mine.some(({ estimated }) => estimated === 1),
        hungUp: status === 0,
        worst: undefined,
        room: undefined,
        affordable: undefined,
        held: undefined
      }
    })
    const budgets = yield* Effect.forEach(keys, ({ id }) =>
      Effect.map(gateway.admin("GET", `/admin/keys/${id}`), ({ json }): ReadonlyArray<Spent> => {
        const requests = drawn.filter(({ key }) => key.id === id).map(({ drawn }) => drawn.number)
        const billed = requests.reduce((sum, number) => sum + billedOf(number), 0)
        const states = json.budgets as ReadonlyArray<{ usd: number; spent_usd: number; reserved_usd: number }>
        return states.map(({ reserved_usd, spent_usd, usd }) => ({
          scope: `key:${id}`,
          requests,
          limit: nano(usd),
          billed,
          booked: nano(spent_usd),
          held: nano(reserved_usd)
        }))
      })
    )
    played.push({ seed: seed + run, way: "through the port", judged, budgets: budgets.flat() })
  }
  return played
})

const nano = (usd: number): number => Math.round(usd * 1e9)

const yamlOf = ({ deployments, providers }: ReturnType<typeof configured>): string =>
  `providers: ${JSON.stringify(providers)}\ndeployments: ${JSON.stringify(deployments)}\n`

/** The rows, once none is open. */
const settled = Effect.fnUntraced(function* (ledger: Effect.Effect<ReadonlyArray<LedgerRow>>) {
  const end = performance.now() + PATIENCE_MS
  while (performance.now() < end) {
    const rows = yield* ledger
    if (rows.every(({ status }) => status !== "reserved")) return rows
    yield* Effect.sleep(50)
  }
  return yield* ledger
})
