/** What others add without a change to the gateway: a vendor, and a protocol with a framing and an authentication of its own. */
import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { truncated } from "../../src/core/domain/Failures.ts"
import { noUsage } from "../../src/core/domain/Usage.ts"
import { type Auth, AuthFailed } from "../../src/core/pool/Auth.ts"
import type { Dialect, Protocol } from "../../src/core/pool/Protocol.ts"
import { bytesOf } from "../../src/providers/transport/UpstreamBody.ts"
import { failure } from "../../src/providers/protocols/openai/OpenAiErrors.ts"
import { compatible } from "../../src/providers/vendors/CompatibleVendors.ts"
import { OpenAi } from "../../src/providers/vendors/OpenAi.ts"
import { both } from "./Facing.ts"
import { lines } from "../support/LineFraming.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import type { Vendor } from "../../src/core/pool/Vendor.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]

const said = (text: string): string =>
  text
    .split("\n\n")
    .filter((one) => one.startsWith("data: {"))
    .map((one) => JSON.parse(one.slice(6)).choices?.[0]?.delta?.content ?? "")
    .join("")

// ---- A vendor: OpenAI's protocol at another address ---------------------------------------------------------------------

const acme = (baseUrl: string) =>
  compatible({
    name: "acme",
    baseUrl,
    apiKeyVariable: "ACME_API_KEY",
    families: [{ match: /^small/, contextWindow: 1000, maxOutput: 100, supports: new Set(["chat", "stream"]) }]
  })

describe("a vendor that is added", () => {
  it.live.each(both)("is called at its address with its key: %j", ({ stream }) =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream(({ body }) => ({
        body: body.stream === true ? completionEvents("Hello") : completion("Hello")
      }))
      const gateway = yield* startGateway({
        yaml: `
providers: { acme: { api_key: k3y } }
deployments: [{ provider: acme, model: small, price: { input: 1, output: 2 } }]
`,
        more: { vendors: [acme(baseUrl)] }
      })
      const { secret } = yield* gateway.createKey()
      const ask = (fields: object) =>
        call(gateway.url, {
          path: "/v1/chat/completions",
          key: secret,
          body: { model: "acme/small", stream, messages, ...fields }
        })
      const answer = yield* ask({})
      assert.strictEqual(answer.status, 200, answer.text)
      const told = stream ? said(answer.text) : answer.json.choices[0].message.content
      assert.strictEqual(told, "Hello")
      const [one] = asked
      assert.deepInclude(one?.headers, { authorization: "Bearer k3y" })
      assert.strictEqual(one?.path, "/v1/chat/completions")
      const [row] = yield* gateway.ledger
      assert.deepInclude(row, {
        operation: "chat",
        status: "settled",
        input: 12,
        output: 4,
        cost: 20_000,
        estimated: 0
      })
      const beyond = yield* ask({ tools: [{ type: "function", function: { name: "f" } }] })
      assert.strictEqual(beyond.status, 400)
      assert.strictEqual(asked.length, 1)
    }).pipe(Effect.scoped)
  )
})

// ---- A protocol: a JSON object a line, signed with a secret ------------------------------------------------------------

interface Line {
  readonly say?: string
  readonly used?: readonly [input: number, output: number]
}

const usageOf = ([input, output]: readonly [number, number]) => ({ ...noUsage, input, output })
const wireUsage = ([input, output]: readonly [number, number]) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output
})

const toyChat: Dialect = {
  lower: ({ deployment, request }) =>
    Result.succeed({
      path: "/say",
      headers: { accept: request.stream ? lines.mediaType : "application/json" },
      body: JSON.stringify({ model: deployment.model, stream: request.stream, ask: request.prompt }),
      dropped: []
    }),
  lift: (text, { deployment, now }) => {
    const { say, used } = JSON.parse(text) as Line
    if (say === undefined || used === undefined) return Result.fail(truncated("the answer says nothing"))
    const choices = [{ index: 0, message: { role: "assistant", content: say }, finish_reason: "stop" }]
    const head = { id: `toy-${now}`, object: "chat.completion", created: 0, model: deployment.model }
    return Result.succeed({ body: { ...head, choices, usage: wireUsage(used) }, usage: usageOf(used) })
  },
  stream: ({ deployment, now }) => {
    const head = { id: `toy-${now}`, object: "chat.completion.chunk", created: 0, model: deployment.model }
    const chunk = (delta: object, finish: string | null) =>
      JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })
    return {
      push: ({ data }) => {
        const { say, used } = JSON.parse(data) as Line
        if (say !== undefined) return [{ kind: "content", data: chunk({ content: say }, null) }]
        if (used === undefined) return [{ kind: "malformed" }]
        const last = JSON.stringify({ ...head, choices: [], usage: wireUsage(used) })
        return [
          { kind: "finish", data: chunk({}, "stop") },
          { kind: "usage", usage: usageOf(used), data: last },
          { kind: "done" }
        ]
      },
      end: () => []
    }
  }
}

const toy: Protocol = { name: "toy-lines", speaks: new Map([["chat", toyChat]]), framing: lines, failure }

const signature = (secret: string, body: string | Uint8Array) => createHmac("sha256", secret).update(body).digest("hex")

const signed: Auth = {
  kind: "perRequest",
  headers: ({ body }, key) =>
    key === undefined
      ? Effect.fail(new AuthFailed({ message: "there is no key to sign with" }))
      : Effect.map(bytesOf(body), (bytes) => ({ "x-signature": signature(Redacted.value(key), bytes) }))
}

const { operations: _, ...openAi } = OpenAi
const toyVendor: Vendor = { ...openAi, name: "toy", protocol: toy.name, auth: signed }

const toyUpstream = upstream(({ body }) => ({
  body: body.stream
    ? ['{"say":"Hello ', 'there"}\n{"say":"!"}\n{"us', 'ed":[10,3]}\n']
    : { say: "Hello there!", used: [10, 3] }
}))

const toyYaml = (baseUrl: string, key: string) => `
providers: { toy: { vendor: toy, base_url: "${baseUrl}", api_key: ${key} } }
deployments: [{ provider: toy, model: m, price: { input: 1, output: 2 } }]
failover: { base_delay: 1ms }
`

describe("a protocol that is added", () => {
  it.live.each(both)("cuts its streams and signs its requests itself: %j", ({ stream }) =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* toyUpstream
      const more = { vendors: [toyVendor], protocols: [toy] }
      const gateway = yield* startGateway({ yaml: toyYaml(baseUrl, "s3cret"), more })
      const { secret } = yield* gateway.createKey()
      const body = { model: "toy/m", stream, messages }
      const answer = yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
      assert.strictEqual(answer.status, 200, answer.text)
      const told = stream ? said(answer.text) : answer.json.choices[0].message.content
      assert.strictEqual(told, "Hello there!")
      const [{ headers, body: sent, path } = assert.fail("nothing was asked")] = asked
      assert.strictEqual(path, "/v1/say")
      assert.strictEqual(headers["x-signature"], signature("s3cret", JSON.stringify(sent)))
      const [row] = yield* gateway.ledger
      assert.deepInclude(row, { status: "settled", input: 10, output: 3, cost: 16_000, estimated: 0 })
    }).pipe(Effect.scoped)
  )

  it.live.each(both)(
    "without an operation is left out for one that has it, and alone it is refused: %j",
    ({ stream }) =>
      Effect.gen(function* () {
        const { asked, baseUrl } = yield* toyUpstream
        const mute: Protocol = { ...toy, name: "mute-lines", speaks: new Map([["rerank", toyChat]]) }
        const muteVendor = { ...toyVendor, name: "mute", protocol: mute.name }
        const gateway = yield* startGateway({
          yaml: `
providers:
  mute: { vendor: mute, base_url: "${baseUrl}", api_key: s3cret }
  toy: { vendor: toy, base_url: "${baseUrl}", api_key: s3cret }
deployments:
  - { provider: mute, model: m, price: { input: 1, output: 2 } }
  - { provider: toy, model: m, price: { input: 1, output: 2 } }
models: { both: [mute/m, toy/m] }
failover: { attempts: 1 }
`,
          more: { vendors: [toyVendor, muteVendor], protocols: [toy, mute] }
        })
        const { secret } = yield* gateway.createKey()
        const ask = (model: string) =>
          call(gateway.url, { path: "/v1/chat/completions", key: secret, body: { model, stream, messages } })
        const refused = yield* ask("mute/m")
        assert.strictEqual(refused.status, 400, refused.text)
        const { code, message, type } = refused.json.error
        assert.deepStrictEqual([type, code], ["invalid_request_error", "unsupported_feature"])
        assert.include(message, "mute/m can't serve chat; it serves rerank")
        assert.strictEqual(asked.length, 0)
        const answer = yield* ask("both")
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepStrictEqual(
          (yield* gateway.ledger).map(({ deployment, status }) => [deployment, status]),
          [["toy/m", "settled"]]
        )
        const question = { request: { model: "both", messages } }
        const { json } = yield* gateway.admin("POST", "/admin/route/explain", question)
        assert.include(JSON.stringify(json), "mute/m can't serve chat; it serves rerank")
      }).pipe(Effect.scoped)
  )

  it.live.each(both)("that can't sign is a provider whose authentication failed: %j", ({ stream }) =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* toyUpstream
      const more = { vendors: [toyVendor], protocols: [toy] }
      const gateway = yield* startGateway({ yaml: toyYaml(baseUrl, "none"), more })
      const { secret } = yield* gateway.createKey()
      const body = { model: "toy/m", stream, messages }
      const answer = yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
      assert.strictEqual(answer.status, 502)
      assert.strictEqual(answer.json.error.code, "upstream_auth")
      assert.strictEqual(asked.length, 0)
      assert.deepStrictEqual(
        (yield* gateway.ledger).map(({ cost, status }) => [status, cost]),
        [["void", 0]]
      )
    }).pipe(Effect.scoped)
  )
})
