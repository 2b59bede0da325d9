/** What the tests of whole requests share: asking the gateway, reading its streams, and looking into its books. */
import { Effect, Result, Stream } from "effect"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import { chat } from "../../../src/core/operations/chat/Chat.ts"
import type { CallInput } from "../../../src/core/call/CallInput.ts"
import { Gateway } from "../../../src/core/call/Gateway.ts"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import { budget, callerWith, chatRequest, DAY } from "./Support.ts"

/** A key with a day's budget of 1,000,000 nano-USD: what is booked and held can be read off it. */
export const budgeted = callerWith({ budgets: [budget(1_000_000)] })

/** `both` asks `openai/a`, and after a failure `backup/b`. */
export const aliases = new Map([["both", ["openai/a", "backup/b"]]])

export const input = (
  fields: { readonly [field: string]: unknown } = {},
  more: Partial<Omit<CallInput, "request">> = {}
): CallInput => ({
  requestId: "req_1",
  caller: budgeted,
  endpoint: "/v1/chat/completions",
  request: chatRequest({ max_tokens: 100, ...fields }),
  noFallback: false,
  strict: false,
  streamRecovery: undefined,
  tags: [],
  ...more
})

/** Asks and reads a whole answer; the scope closes after it. */
export const ask = (asked: CallInput) =>
  Effect.scoped(
    Effect.gen(function* () {
      const gateway = yield* Gateway
      const answer = yield* gateway.call(chat, asked)
      if (answer.kind === "stream") return yield* Effect.die("a stream")
      return { ...answer, body: JSON.parse(String(answer.content)) as JsonObject }
    })
  )

/** Asks for a stream and reads it to its end. `events` are parsed; `[DONE]` stays a text. */
export const read = (asked: CallInput) =>
  Effect.scoped(
    Effect.gen(function* () {
      const gateway = yield* Gateway
      const answer = yield* gateway.call(chat, asked)
      if (answer.kind === "whole") return yield* Effect.die("no stream")
      let text = ""
      const ending = yield* Effect.result(
        Stream.runForEach(answer.events, (piece) =>
          Effect.sync(() => {
            text += piece
          })
        )
      )
      return {
        text,
        events: eventsOf(text),
        report: answer.report,
        settled: answer.settled(),
        failure: Result.isFailure(ending) ? ending.failure : undefined
      }
    })
  )

export const streaming = (more: Partial<Omit<CallInput, "request">> = {}, fields: object = {}) =>
  input({ stream: true, ...fields }, more)

// oxlint-disable-next-line typescript/no-explicit-any -- wire data is looked at field by field
export const eventsOf = (text: string): ReadonlyArray<any> =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => (event === "data: [DONE]" ? "[DONE]" : JSON.parse(event.slice("data: ".length))))

/** The words of a stream. */
export const saidIn = (events: ReturnType<typeof eventsOf>): string =>
  events
    .flatMap((event) => (event === "[DONE]" ? [] : event.choices))
    .map((choice: { delta?: { content?: string | null } }) => choice.delta?.content ?? "")
    .join("")

/** The budget of `budgeted`, and all that was ever booked. */
export const books = Effect.gen(function* () {
  const ledger = yield* SpendLedger
  const [state] = yield* ledger.budgets("key:key_a", budgeted.key.budgets)
  const rows = yield* ledger.spend({
    visibility: "all",
    from: -DAY,
    to: 100_000 * DAY,
    timeZone: "UTC",
    key: undefined,
    team: undefined,
    model: undefined,
    provider: undefined,
    groupBy: ["model"]
  })
  return {
    spent: state?.spent,
    reserved: state?.reserved,
    rows: Object.fromEntries(
      rows.map((row) => [
        row.group[0],
        { cost: row.cost, estimated: row.estimatedCost, requests: row.requests, failed: row.failedRequests }
      ])
    )
  }
})
