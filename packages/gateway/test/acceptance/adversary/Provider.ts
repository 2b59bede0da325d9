/**
 * All providers at once, scripted: each answers as its vendor would, and bills by its vendor's published rules. It is no part of the
 * gateway and knows none of its rules. A provider that bills more than it published can't be bounded by anybody; none here does.
 *
 * Streams are billed as far as they were made when their connection closed. Plain calls whose connection closed are finished and
 * billed in full by the large vendors, and end there at servers of one's own.
 */
import { Clock, Effect, Stream } from "effect"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import {
  noLoad,
  type OpenResponse,
  type Transport,
  type UpstreamRequest,
  type WholeResponse
} from "../../../src/core/pool/Transport.ts"
import { billOf } from "./Bill.ts"
import { chanceOf } from "./Chance.ts"
import { type Model, modelOf, models } from "./Models.ts"
import { type Service, services } from "./Services.ts"
import { type Plan, planOf, type ProjectTier, secondsOf, usedBy } from "./Plan.ts"
import type { Told } from "./Reading.ts"
import { bytesOf } from "../../../src/providers/transport/UpstreamBody.ts"
import { type Piece, piecesOf, refusalOf, wholeOf } from "./Wire.ts"

export interface Billed {
  /** Of the request, as its caller marked it in its text. */
  readonly mark: string
  readonly model: Model
  /** Nano-USD. */
  readonly nano: number
  /** The connection stayed until the answer was complete. */
  readonly complete: boolean
}

export interface World {
  readonly seed: number
  readonly told: Told
  readonly project: ProjectTier
  readonly bills: Array<Billed>
  /** The marks of what was asked. */
  readonly seen: Set<string>
  /** What was refused, by mark. */
  readonly refusals: Map<string, string>
}

/** How callers mark their requests, and how the mark is found again. */
export const markOf = (number: number): string => `[mark ${number}]`
const MARK = /\[mark \d+\]/

interface Asked {
  readonly mark: string
  readonly model: Model
  readonly plan: Plan | { readonly status: number; readonly message: string }
}

export const asked = (world: World, provider: string, text: string): Asked => {
  const body = JSON.parse(text) as JsonObject
  const mark = MARK.exec(text)?.[0] ?? ""
  world.seen.add(mark)
  const model = models.find((one) => one.provider === provider && one.model === body["model"])!
  const plan = planOf(model, body, world.told, chanceOf(world.seed, mark), world.project)
  if (isRefusal(plan)) world.refusals.set(mark, plan.message)
  return { mark, model, plan }
}

export const isRefusal = (plan: Asked["plan"]): plan is { readonly status: number; readonly message: string } =>
  "status" in plan

export const bill = (world: World, { mark, model }: Asked, plan: Plan, seconds: number): void => {
  const prices = model.prices[plan.tier] ?? model.prices.default
  const nano = billOf(usedBy(plan, seconds), prices)
  world.bills.push({ mark, model, nano, complete: seconds >= secondsOf(plan) })
}

const headers = { "content-type": "application/json", "request-id": "req_adversary" }

/** `providerAt`: whose address this is. */
export const scriptedTransport = (world: World, providerAt: (baseUrl: string) => string): Transport["Service"] => {
  const begin = (request: UpstreamRequest) =>
    Effect.map(bytesOf(request.body), (body) => asked(world, providerAt(request.baseUrl), Buffer.from(body).toString()))

  const served = Effect.fnUntraced(function* (service: Service, request: UpstreamRequest) {
    const text = Buffer.from(yield* bytesOf(request.body)).toString()
    const mark = MARK.exec(text)?.[0] ?? ""
    world.seen.add(mark)
    const body = JSON.parse(text)
    yield* Effect.sleep(500)
    const nano = Math.round(service.bill(body) * 1e9)
    world.bills.push({ mark, model: modelOf(service), nano, complete: true })
    const answer = service.answer(body)
    const raw = "bytes" in answer ? (answer as { readonly bytes: Uint8Array; readonly type: string }) : undefined
    return {
      status: 200,
      headers: { ...headers, ...(raw === undefined ? {} : { "content-type": raw.type }) },
      text: raw === undefined ? JSON.stringify(answer) : "",
      ...(raw === undefined ? {} : { bytes: raw.bytes })
    } satisfies WholeResponse as WholeResponse
  })

  const whole = Effect.fnUntraced(function* (request: UpstreamRequest) {
    const service = services.find(({ provider }) => provider === providerAt(request.baseUrl))
    if (service !== undefined) return yield* served(service, request)
    const one = yield* begin(request)
    const { model, plan } = one
    if (isRefusal(plan)) return { status: plan.status, headers, text: refusalOf(model, plan.status, plan.message) }
    const end = secondsOf(plan)
    const began = yield* Clock.currentTimeMillis
    const left = Effect.map(Clock.currentTimeMillis, (now) =>
      bill(world, one, plan, model.finishesAlone ? end : (now - began) / 1000)
    )
    yield* Effect.onInterrupt(Effect.sleep(Math.ceil(end * 1000)), () => left)
    bill(world, one, plan, end)
    return { status: 200, headers, text: wholeOf(model, plan) } satisfies WholeResponse as WholeResponse
  })

  const open = Effect.fnUntraced(function* (request: UpstreamRequest) {
    const one = yield* begin(request)
    const { model, plan } = one
    if (isRefusal(plan)) {
      const text = refusalOf(model, plan.status, plan.message)
      return {
        status: plan.status,
        headers,
        chunks: yield* Stream.toPull(Stream.make(encoder.encode(text)))
      } satisfies OpenResponse as OpenResponse
    }
    const began = yield* Clock.currentTimeMillis
    yield* Effect.addFinalizer(() =>
      Effect.map(Clock.currentTimeMillis, (now) => bill(world, one, plan, (now - began) / 1000))
    )
    const chunks = Stream.mapEffect(Stream.fromIterable(piecesOf(model, plan)), ({ at, text }: Piece) =>
      Effect.as(
        Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(0, began + Math.ceil(at * 1000) - now))),
        encoder.encode(text)
      )
    )
    return {
      status: 200,
      headers: { ...headers, "content-type": "text/event-stream" },
      chunks: yield* Stream.toPull(chunks)
    } satisfies OpenResponse as OpenResponse
  })

  return { whole, open, load: () => noLoad }
}

const encoder = new TextEncoder()
