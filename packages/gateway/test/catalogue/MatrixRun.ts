import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { TestGateway, type TestAnswer } from "../../src/testing/index.ts"
import { withCpu } from "../support/Patience.ts"
import { features } from "./MatrixFeatures.ts"
import { currentModels, resoldModels } from "./MatrixModels.ts"
import type { Feature, Got } from "./MatrixWords.ts"
import { type Heard, RefusingVendor } from "./refusing/RefusingVendor.ts"
import type { Loose } from "./refusing/Seen.ts"

const ENDPOINTS = [
  ["chat", "/v1/chat/completions"],
  ["responses", "/v1/responses"],
  ["messages", "/v1/messages"]
] as const

type Endpoint = (typeof ENDPOINTS)[number][0]

/** Prices and redirects have dates. */
const TODAY = Date.parse("2026-11-27T12:00:00Z")

const models = [...currentModels, ...resoldModels]
/** An alias for each, so that the gateway has chosen the deployment: it has to fit the request to it. */
const aliasOf = (model: string): string => `any-${models.indexOf(model)}`

const layer = TestGateway.layerOver({
  providers: {
    bedrock: { region: "us-east-1", api_key: "k" },
    vertex: { project: "p", location: "global", api_key: "k" }
  },
  deployments: models,
  models: Object.fromEntries(models.map((model) => [aliasOf(model), [model]]))
}).pipe(Layer.provideMerge(RefusingVendor.layer))

const gotIn: { readonly [E in Endpoint]: (answer: TestAnswer) => Got } = {
  chat: ({ body, events }) => {
    const texts: Array<string> = []
    const calls: Array<string> = []
    for (const one of [body, ...(events as ReadonlyArray<Loose>)]) {
      for (const choice of one["choices"] ?? []) {
        const said = (choice as Loose)["delta"] ?? (choice as Loose)["message"]
        if (typeof said.content === "string") texts[choice.index] = (texts[choice.index] ?? "") + said.content
        for (const call of said.tool_calls ?? []) if (call.function?.name !== undefined) calls.push(call.function.name)
      }
    }
    return { texts: texts.filter((text) => text !== ""), calls }
  },
  responses: ({ body, events }) => {
    const done = (events as ReadonlyArray<Loose>).find((event) => event["type"] === "response.completed")
    const output: ReadonlyArray<Loose> = (body as Loose)["output"] ?? done?.["response"].output ?? []
    return {
      texts: output.flatMap((item) => (item["content"] ?? []).flatMap((part: Loose) => part["text"] ?? [])),
      calls: output.flatMap((item) => (item["type"] === "function_call" ? [item["name"]] : []))
    }
  },
  messages: ({ body, events }) => {
    const streamed = events as ReadonlyArray<Loose>
    const blocks: ReadonlyArray<Loose> =
      (body as Loose)["content"] ?? streamed.flatMap((one) => one["content_block"] ?? [])
    const pieces = streamed.flatMap((event) => (event["delta"]?.text as string | undefined) ?? [])
    const text = [...blocks.flatMap((block) => block["text"] ?? []), ...pieces].join("")
    return {
      texts: text === "" ? [] : [text],
      calls: blocks.flatMap((block) => (block["type"] === "tool_use" ? [block["name"]] : []))
    }
  }
}

const droppedIn = ({ headers }: TestAnswer): ReadonlyArray<string> =>
  (headers["x-gateway-dropped-params"] ?? "").split(",").filter((name) => name !== "")

const errorIn = ({ body, events }: TestAnswer): Loose | undefined =>
  (body["error"] as Loose | undefined) ??
  (events as ReadonlyArray<Loose>).find((event) => event["error"] !== undefined)?.["error"]

/** What is wrong with a cell; undefined: nothing. */
const problemWith = (
  endpoint: Endpoint,
  feature: Feature,
  answer: TestAnswer,
  heard: ReadonlyArray<Heard>
): string | undefined => {
  const refused = heard.find((one) => one.refused !== undefined)
  if (refused !== undefined) return `upstream 400 at ${refused.seen.spoken}: ${refused.refused}`
  const error = errorIn(answer)
  if (error !== undefined || answer.status !== 200) {
    const { message = "", param } = error ?? {}
    const isNamed =
      answer.status === 400 && heard.length === 0 && (feature.lost.test(param ?? "") || feature.lost.test(message))
    return isNamed ? undefined : `${answer.status}: ${message}`
  }
  const dropped = droppedIn(answer)
  if (!dropped.some((name) => feature.lost.test(name)) && !heard.every(({ seen }) => feature.arrives(seen)))
    return `lost without a name; dropped: ${dropped.join(", ") || "nothing"}`
  return feature.problem?.(gotIn[endpoint](answer))
}

/** What the gateway refuses by itself: these models have it nowhere. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ["image", "bedrock/openai.gpt-oss-120b-1:0"],
  ["pdf", "deepseek/deepseek-flash"],
  // Vertex takes schemas for Claude only where a policy of the organization allows them.
  ...["schema", "schema, effort high", "schema and tools"].map(
    (feature) => [feature, "vertex/claude-haiku-4-5@20251001 vertex/claude-opus-5-5"] as const
  )
])

interface Cell {
  readonly model: string
  readonly endpoint: Endpoint
  readonly feature: Feature
  readonly stream: boolean
  readonly problem: string
}

const tableOf = (cells: ReadonlyArray<Cell>): string => {
  const rows = new Map<string, Array<string>>()
  for (const { endpoint, feature, model, problem, stream } of cells) {
    const key = `| ${model} | ${feature.name} | ${problem} |`
    rows.set(key, [...(rows.get(key) ?? []), `${endpoint}${stream ? " streamed" : ""}`])
  }
  return [...rows].map(([key, where]) => `${key} ${where.join(", ")} |`).join("\n")
}

/** `all` asks for each cell with and without a stream; else every other cell is streamed. */
const matrix = Effect.fnUntraced(function* (all: boolean) {
  yield* TestClock.setTime(TODAY)
  const gateway = yield* TestGateway
  const vendor = yield* RefusingVendor
  const key = yield* gateway.createKey()
  const failing: Array<Cell> = []
  const refused = new Map<string, Set<string>>()
  let count = 0
  let cells = 0
  for (const model of models) {
    for (const feature of features) {
      for (const [endpoint, path] of ENDPOINTS) {
        const fields = feature[endpoint]
        if (fields === undefined) continue
        cells += 1
        for (const stream of all ? [false, true] : [(models.indexOf(model) + cells) % 2 === 0]) {
          const body = { model: aliasOf(model), ...fields, ...(stream ? { stream } : {}) }
          const request = { method: "POST", path, headers: { authorization: `Bearer ${key}` }, body }
          const answer = yield* gateway.send(request)
          const heard = yield* vendor.take
          count++
          let problem = problemWith(endpoint, feature, answer, heard)
          if (problem === undefined && !stream && answer.status === 200 && droppedIn(answer).length > 0) {
            const strict = yield* gateway.send({
              ...request,
              headers: { ...request.headers, "x-gateway-strict": "1" }
            })
            yield* vendor.take
            if (strict.status !== 400)
              problem = `a strict caller gets ${strict.status}; dropped: ${droppedIn(answer).join(", ")}`
          }
          if (answer.status === 400) refused.set(feature.name, (refused.get(feature.name) ?? new Set()).add(model))
          if (problem !== undefined) failing.push({ model, endpoint, feature, stream, problem })
        }
      }
    }
  }
  return { count, failing, refused }
})

export const assertMatrix = (all: boolean) =>
  Effect.gen(function* () {
    const { cpuMs, value } = yield* withCpu(matrix(all))
    const { count, failing, refused } = value
    assert.isAbove(count, all ? 7_000 : 3_500)
    assert.isBelow(cpuMs, 60_000)
    assert.deepStrictEqual(new Map([...refused].map(([name, by]) => [name, [...by].sort().join(" ")])), REFUSED)
    assert.isEmpty(failing, `${failing.length} of ${count} cells fail\n${tableOf(failing)}\n`)
  }).pipe(Effect.provide(layer))

/** For a machine that does other things too: alone it takes less than a minute, which is what the CPU time says. */
export const LONGEST_MS = 600_000
