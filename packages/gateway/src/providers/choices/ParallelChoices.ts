/** Several answers to one request (`n`) by a model that makes one a call: as many calls at once, with one reservation and one settlement. */
import { Effect, Result, Stream } from "effect"
import { requestsFor } from "../../core/bounds/BoundedRequests.ts"
import type { Deployment } from "../../core/domain/Deployment.ts"
import { isBilled, ProviderFailure, Unsupported } from "../../core/domain/Failures.ts"
import { plus, type Usage } from "../../core/domain/Usage.ts"
import { wireUsage } from "../../core/operations/chat/ChatAnswerText.ts"
import type { UpstreamCall, StreamEvent } from "../../core/pool/Protocol.ts"
import type { Completion, CompletionStream, ProviderCalls } from "../../core/pool/ProviderPool.ts"
import { objectsIn, type JsonObject } from "../json/LooseJson.ts"

/** More answers than that of one request would take the place of other callers. */
const MOST_AT_ONCE = 16

type Whole = ProviderCalls["complete"]
type OpenStream = ProviderCalls["stream"]

/** `complete`, for any number of choices. All calls are waited for, even if one fails: their end tells what they cost. */
export const choicesAtOnce =
  (complete: Whole): Whole =>
  (call) => {
    const count = requestsFor(call.request, call.deployment)
    if (count === 1) return complete(call)
    const refused = whyNot(call, count)
    if (refused !== undefined) return Effect.fail(refused)
    const calls = callsOf(call, count)
    return Effect.flatMap(
      Effect.forEach(calls, (one) => Effect.result(complete(one)), { concurrency: "unbounded" }),
      (answers) => {
        const [made, failures] = sorted(answers)
        const [failure] = failures
        return failure === undefined ? Effect.succeed(together(made)) : Effect.fail(amidst(failure, made, failures))
      }
    )
  }

/** `stream`, for any number of choices. All streams are open before the first event of any. */
export const choiceStreamsAtOnce =
  (stream: OpenStream): OpenStream =>
  (call) => {
    const count = requestsFor(call.request, call.deployment)
    if (count === 1) return stream(call)
    const refused = whyNot(call, count)
    if (refused !== undefined) return Effect.fail(refused)
    return Effect.flatMap(
      Effect.forEach(callsOf(call, count), (one) => Effect.result(stream(one)), { concurrency: "unbounded" }),
      (answers) => {
        const [opened, [failure]] = sorted(answers)
        if (failure === undefined) return merged(opened)
        return Effect.fail(opened.length === 0 || failure instanceof Unsupported ? failure : oneOfSeveral(failure))
      }
    )
  }

const whyNot = ({ deployment, operation, strict }: UpstreamCall, count: number): Unsupported | undefined => {
  const refused = (message: string) => new Unsupported({ param: "n", message })
  if (operation === "generate_content") return refused("this model returns one candidate: leave `candidateCount` out")
  if (strict) {
    return refused(
      "this model returns one choice per call, and the request is strict: request one, or leave `X-Gateway-Strict` out"
    )
  }
  const most = mostAtOnce(deployment)
  return count <= most
    ? undefined
    : refused(`this model returns one choice per call: \`n\` must be at most ${most} here`)
}

const mostAtOnce = ({ maxConnections = MOST_AT_ONCE, maxInFlight = MOST_AT_ONCE }: Deployment): number =>
  Math.min(MOST_AT_ONCE, maxConnections, maxInFlight)

const callsOf = (call: UpstreamCall, count: number): ReadonlyArray<UpstreamCall> => {
  const { n: _, ...body } = call.request.body
  const { long: __, ...request } = call.request
  const listeners: Array<() => void> = []
  call.onLeave?.(() => {
    for (const listener of listeners) listener()
  })
  const onLeave = call.onLeave === undefined ? undefined : (listener: () => void) => void listeners.push(listener)
  return Array.from({ length: count }, () => ({ ...call, onLeave, request: { ...request, body, choices: 1 } }))
}

const sorted = <A, E>(answers: ReadonlyArray<Result.Result<A, E>>): readonly [Array<A>, Array<E>] => {
  const made: Array<A> = []
  const failures: Array<E> = []
  for (const answer of answers) {
    if (Result.isSuccess(answer)) made.push(answer.success)
    else failures.push(answer.failure)
  }
  return [made, failures]
}

const together = (answers: ReadonlyArray<Completion>): Completion => {
  const usage = sumOf(answers)
  const { dropped, serviceTier } = answers[0]!
  const { usage: _, ...head } = answers[0]!.body
  const choices = answers.flatMap(({ body }, index) =>
    objectsIn(body["choices"])
      .slice(0, 1)
      .map((choice) => ({ ...choice, index }))
  )
  const isOneTier = answers.every((answer) => answer.serviceTier === serviceTier)
  return {
    body: { ...head, choices, ...(usage === undefined ? undefined : { usage: wireUsage(usage) }) },
    usage,
    dropped,
    // Where they differ, the most expensive that was held is recorded.
    serviceTier: isOneTier ? serviceTier : undefined
  }
}

const sumOf = (answers: ReadonlyArray<{ readonly usage: Usage | undefined }>): Usage | undefined => {
  let sum: Usage | undefined
  for (const { usage } of answers) {
    if (usage === undefined) return undefined
    sum = sum === undefined ? usage : plus(sum, usage)
  }
  return sum
}

const amidst = (
  failure: ProviderFailure | Unsupported,
  made: ReadonlyArray<Completion>,
  failures: ReadonlyArray<ProviderFailure | Unsupported>
): ProviderFailure | Unsupported => {
  if (failure instanceof Unsupported || made.length + failures.length === 1) return failure
  // Nobody told what a call used whose response did not arrive.
  const isKnown = failures.every((one) => one instanceof Unsupported || !isBilled(one))
  const usage = isKnown ? sumOf(made) : undefined
  if (usage === undefined) return isKnown && made.length === 0 ? failure : oneOfSeveral(failure)
  return new ProviderFailure({ ...failure, message: failure.message, usage })
}

/** What it says it used is not what all used. */
const oneOfSeveral = (failure: ProviderFailure): ProviderFailure => {
  const { usage: _, ...rest } = failure
  return new ProviderFailure({ ...rest, message: failure.message, alsoBilled: true })
}

const merged = Effect.fnUntraced(function* (opened: ReadonlyArray<CompletionStream>) {
  const merging = new MergedChoices(opened.length)
  const ends = new Map<number, ProviderFailure>()
  const streams = opened.map(({ events }, index) =>
    Stream.fromPull(Effect.succeed(events)).pipe(
      Stream.map((event) => {
        if (event.kind !== "failed") return merging.step(event, index)
        ends.set(index, event.failure)
        return { ...event, failure: oneOfSeveral(event.failure) }
      }),
      Stream.filter((event) => event !== undefined),
      Stream.mapError((failure) => {
        ends.set(index, failure)
        return oneOfSeveral(failure)
      })
    )
  )
  const ending = Stream.suspend(() => Stream.fromIterable(merging.end()))
  const all = Stream.concat(Stream.mergeAll(streams, { concurrency: "unbounded" }), ending)
  return {
    events: yield* Stream.toPull(all),
    dropped: opened[0]!.dropped,
    started: Effect.map(
      Effect.forEach(opened, ({ started }) => started),
      (times) => times[0]!
    ),
    // Streams that did not fail themselves are closed with their scope, which says nothing of the deployment.
    ended: (failure) =>
      Effect.forEach(
        opened,
        ({ ended }, index) => {
          if (failure === undefined) return ended(undefined)
          const own = ends.get(index) ?? (ends.size === 0 && index === 0 ? failure : undefined)
          return own === undefined ? Effect.void : ended(own)
        },
        { discard: true }
      )
  } satisfies CompletionStream
})

/** The events of several streams with a choice each, as those of one stream: one id, choices numbered, one usage, one end. */
class MergedChoices {
  private readonly count: number
  /** What all chunks of one response have in common, from the first of any stream. */
  private head: JsonObject | undefined
  private usage: Usage | undefined
  private told = 0
  private finished = 0
  private done = 0
  private template: JsonObject = {}
  private readonly tiers = new Set<string | undefined>()

  constructor(count: number) {
    this.count = count
  }

  /** An event of the stream of choice `index`; undefined where it is held for the end. */
  step(event: StreamEvent, index: number): StreamEvent | undefined {
    switch (event.kind) {
      case "done":
        this.done++
        return undefined
      case "usage":
        this.usage = this.usage === undefined ? event.usage : plus(this.usage, event.usage)
        this.told++
        this.tiers.add(event.serviceTier)
        this.template = JSON.parse(event.data)
        return undefined
      case "lifecycle":
      case "content":
      case "finish":
        if (event.kind === "finish") this.finished++
        return { kind: event.kind, data: JSON.stringify(this.numbered(JSON.parse(event.data), index)) }
      default:
        return event
    }
  }

  /** What follows the last event of all. A choice without its finish leaves the response without an end. */
  end(): ReadonlyArray<StreamEvent> {
    if (this.finished < this.count) return []
    const events: Array<StreamEvent> = []
    if (this.usage !== undefined && this.told === this.count) {
      const data = JSON.stringify({ ...this.template, ...this.head, choices: [], usage: wireUsage(this.usage) })
      const [serviceTier, ...others] = this.tiers
      events.push({
        kind: "usage",
        data,
        usage: this.usage,
        serviceTier: others.length === 0 ? serviceTier : undefined
      })
    }
    if (this.done === this.count) events.push({ kind: "done" })
    return events
  }

  private numbered(chunk: JsonObject, index: number): JsonObject {
    this.head ??= { id: chunk["id"], created: chunk["created"], model: chunk["model"] }
    return { ...chunk, ...this.head, choices: objectsIn(chunk["choices"]).map((choice) => ({ ...choice, index })) }
  }
}
