/**
 * The turn after a recorded one: the response goes back with the next request through every endpoint, and must hold what only its
 * provider can read, unchanged.
 */
import { Effect } from "effect"
import type { UpstreamRequest } from "../../src/core/pool/Transport.ts"
import { bytesOf } from "../../src/providers/transport/UpstreamBody.ts"
import type { TestAnswer } from "../../src/testing/TestAnswer.ts"
import { endpoints, type Port, type Said } from "../acceptance/histories/ClientTurns.ts"
import type { Exchange } from "../support/Transcripts.ts"

/** Completes with what the endpoint at `path` returned, and with what the provider was sent for it. */
export type Post = (path: string, body: object) => Effect.Effect<readonly [TestAnswer, UpstreamRequest | undefined]>

/** How many turns were sent, and what was lost in them. */
export interface SecondTurns {
  readonly count: number
  readonly problems: ReadonlyArray<string>
}

export const secondTurns = Effect.fnUntraced(function* (exchange: Exchange, model: string, post: Post) {
  const seals = sealsIn(exchange)
  const problems: Array<string> = []
  let count = 0
  if (seals.length === 0 || isSeveral(exchange)) return { count, problems } satisfies SecondTurns as SecondTurns
  for (const endpoint of endpoints) {
    for (const way of endpoint.ways.filter((one) => one.startsWith("streamed") === exchange.streamed)) {
      const { port, sent } = recorded(model, post)
      const said = yield* endpoint.turns(port, way, false)
      count++
      const text = yield* bodyOf(sent[1])
      const where = `the next turn through ${endpoint.name} (${way})`
      const lost = seals.filter((same) => !same.some((seal) => text.includes(seal)))
      if (said.status !== 200) problems.push(`${where} has no first: ${said.status} ${said.text.slice(0, 300)}`)
      else if (sent.length < 2) problems.push(`${where} was not sent`)
      else if (lost.length > 0)
        problems.push(`${where} lacks ${lost.map(([seal = ""]) => seal.slice(0, 40)).join(", ")}`)
    }
  }
  return { count, problems } satisfies SecondTurns as SecondTurns
})

const bodyOf = (request: UpstreamRequest | undefined): Effect.Effect<string> =>
  request === undefined
    ? Effect.succeed("")
    : Effect.map(bytesOf(request.body), (bytes) => Buffer.from(bytes).toString("utf8"))

const recorded = (model: string, post: Post) => {
  const sent: Array<UpstreamRequest> = []
  const at = (path: string) =>
    Effect.fnUntraced(function* (fields: object) {
      const [{ bytes, status }, request] = yield* post(path, { model, ...fields })
      if (request !== undefined) sent.push(request)
      const text = Buffer.from(bytes).toString("utf8")
      return { status, text, json: text.startsWith("{") ? JSON.parse(text) : undefined } satisfies Said as Said
    })
  const messages = at("/v1/messages")
  const port: Port = {
    chat: at("/v1/chat/completions"),
    messages: (fields) => messages({ max_tokens: 64_000, ...fields }),
    responses: at("/v1/responses")
  }
  return { port, sent }
}

/** Only the first of several choices goes on. */
const isSeveral = ({ request: { body = {} } }: Exchange): boolean => {
  const { generationConfig: config = {}, n } = body as { readonly generationConfig?: object; readonly n?: unknown }
  return Number(n ?? 1) > 1 || Number(Reflect.get(config, "candidateCount") ?? 1) > 1
}

const SEAL =
  /"(?:signature|thoughtSignature|thought_signature|encrypted_content|encrypted_index|redactedContent)":\s*"([^"\\]{16,})"|"type":\s*"redacted_thinking",\s*"data":\s*"([^"\\]{16,})"/g

/**
 * What only the provider can read, each as one or more that mean the same: an item of Responses is sealed anew in the events that end it
 * and that end the response.
 */
const sealsIn = ({ response: { bytes, status } }: Exchange): ReadonlyArray<ReadonlyArray<string>> => {
  if (status !== 200) return []
  const text = Buffer.from(bytes).toString("utf8")
  const ends = [...text.matchAll(/^data: (\{"type":\s*"response\.(output_item\.done|completed|incomplete)".*)$/gm)]
  if (ends.length === 0) return [...new Set(sealsOf(text))].map((seal) => [seal])
  const done = ends.filter(([, , type]) => type === "output_item.done").flatMap(([, data]) => sealsOf(data!))
  return sealsOf(ends.at(-1)![1]!).map((seal, index) => [seal, ...(done[index] === undefined ? [] : [done[index]])])
}

const sealsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(SEAL)].map(([, one, other]) => (one ?? other)!)
