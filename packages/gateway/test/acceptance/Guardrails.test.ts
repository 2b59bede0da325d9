import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "../../src/core/domain/Json.ts"
import { KeyStore } from "../../src/core/keys/KeyStore.ts"
import { toBudget } from "../../src/http/records/Limits.ts"
import { noUsage } from "../../src/core/domain/Usage.ts"
import { responseEvents } from "../../src/core/operations/responses/ResponseEvents.ts"
import { Script } from "../../src/testing/Script.ts"
import type { Step } from "../../src/testing/ScriptStep.ts"
import { TestGateway } from "../../src/testing/TestGateway.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, upstream } from "../support/Upstream.ts"

const EMAIL = "bob@example.com"
const CARD = "4111 1111 1111 1111"
const KEY = `ghp_${"aB3".repeat(12)}`

const checks = {
  pii: { kind: "pii", action: "mask" },
  secrets: { kind: "secrets", action: "deny", message: "Use the vault." },
  noted: { kind: "regex", action: "flag", pattern: "(?i)invoice", max_length: 16 }
}

const policies = {
  strict: { request: ["secrets", "pii", "noted"], response: ["secrets", "pii", "noted"] },
  requests: { request: ["secrets", "pii"] },
  nofiles: { request: ["pii"], media: "deny" }
}

const world = (guardrails: JsonObject, openai: ReadonlyArray<Step>, anthropic: ReadonlyArray<Step> = openai) =>
  TestGateway.layer({
    deployments: [
      { id: "gpt", provider: "openai", model: "gpt-5-mini" },
      { id: "claude", provider: "anthropic", model: "claude-haiku-4-5" },
      "openai/gpt-3.5-turbo-instruct"
    ],
    models: { both: ["gpt", "claude"] },
    guardrails: { checks, policies, ...guardrails },
    scripts: { openai, anthropic }
  })

const strict = { always: ["strict"] }

const post = (path: string, secret: string, body: JsonObject, headers: Record<string, string> = {}) =>
  Effect.flatMap(TestGateway, (gateway) =>
    gateway.send({
      method: "POST",
      path,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
      body
    })
  )

const receiptOf = (secret: string, headers: { readonly [name: string]: string }) =>
  Effect.flatMap(TestGateway, (gateway) =>
    Effect.map(
      gateway.send({
        method: "GET",
        path: `/v1/receipts/${headers["x-gateway-receipt-id"] ?? headers["x-request-id"]}`,
        headers: { authorization: `Bearer ${secret}` }
      }),
      ({ body }) => body
    )
  )

const textOf = ({ bytes }: { readonly bytes: Uint8Array }): string => Buffer.from(bytes).toString()

const said = (text: string) => ({ messages: [{ role: "user", content: text }] })

/** A body for each endpoint that answers in words. */
const bodies: { readonly [path: string]: (text: string) => JsonObject } = {
  "/v1/chat/completions": said,
  "/v1/messages": (text) => ({ max_tokens: 100, ...said(text) }),
  "/v1/responses": (text) => ({ input: text })
}

const pieces = (text: string) => Script.stream([...text])

describe("guardrails of requests", () => {
  it.effect("deny a request before it is routed, with a receipt that says so", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const secret = yield* gateway.createKey()
      for (const [path, body] of Object.entries(bodies)) {
        const answer = yield* post(path, secret, { model: "gpt", ...body(`my key is ${KEY}`) })
        assert.strictEqual(answer.status, 400, path)
        assert.include(textOf(answer), "secrets")
        assert.include(textOf(answer), "Use the vault.")
        assert.notInclude(textOf(answer), KEY)
        assert.strictEqual(answer.headers["x-gateway-guardrail-action"], "denied")
        const receipt = yield* receiptOf(secret, answer.headers)
        assert.strictEqual(receipt["status"], "blocked")
        assert.deepStrictEqual((receipt["attempts"] as ReadonlyArray<unknown>).length, 0)
        assert.deepInclude(receipt["guardrails"], {
          check: "secrets",
          stage: "request",
          action: "deny",
          rules: { github_token: 1 }
        })
        assert.notInclude(JSON.stringify(receipt), KEY)
      }
      assert.deepStrictEqual(yield* (yield* Script).requests, [])
      assert.strictEqual(yield* gateway.spent, 0)
    }).pipe(Effect.provide(world(strict, [Script.answer("hello")])))
  )

  it.effect("mask a request with the same placeholder in every turn", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const secret = yield* gateway.createKey()
      const script = yield* Script
      for (const [path, body] of Object.entries(bodies)) {
        const answer = yield* post(path, secret, { model: "claude", ...body(`write to ${EMAIL}, ${EMAIL} or ${CARD}`) })
        assert.strictEqual(answer.status, 200, textOf(answer))
        assert.strictEqual(answer.headers["x-gateway-guardrail-action"], "masked")
        const receipt = yield* receiptOf(secret, answer.headers)
        assert.deepInclude(receipt["guardrails"], {
          check: "pii",
          stage: "request",
          action: "mask",
          rules: { email: 2, credit_card: 1 }
        })
        assert.strictEqual(receipt["status"], "ok")
      }
      const sent = JSON.stringify((yield* script.requests).map(({ body }) => body))
      assert.notInclude(sent, EMAIL)
      assert.notInclude(sent, CARD)
      assert.strictEqual(new Set(sent.match(/<EMAIL_[a-z2-7]{8}>/g)).size, 1)
    }).pipe(Effect.provide(world(strict, [Script.answer("hello")])))
  )

  it.effect("mask a request and keep to the providers that it chose", () =>
    Effect.gen(function* () {
      const secret = yield* (yield* TestGateway).createKey()
      const choices = [
        [{ only: ["anthropic"] }, 200, "claude"],
        [{ ignore: ["openai"] }, 200, "claude"],
        [{ max_price: { prompt: 0 } }, 404, undefined],
        [{ zdr: true }, 404, undefined]
      ] as const
      for (const [provider, status, deployment] of choices) {
        const answer = yield* post("/v1/chat/completions", secret, { model: "both", provider, ...said(EMAIL) })
        assert.deepStrictEqual([answer.status, answer.headers["x-gateway-deployment"]], [status, deployment])
      }
      assert.notInclude(JSON.stringify((yield* (yield* Script).requests).map(({ body }) => body)), EMAIL)
      const hidden = yield* post("/v1/chat/completions", secret, {
        model: "both",
        provider: { note: KEY },
        ...said("Hi")
      })
      assert.include(textOf(hidden), "guardrail_denied")
    }).pipe(Effect.provide(world(strict, [Script.answer("hello")])))
  )

  it.effect("mask inside the arguments of tools, and deny what they can't rewrite", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const secret = yield* gateway.createKey()
      const call = { id: "c", type: "function", function: { name: "f", arguments: '{"to":"bob\\u0040example.com"}' } }
      const messages = [
        { role: "user", content: "Hi" },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "c", content: `sent to ${EMAIL}` }
      ]
      assert.strictEqual((yield* gateway.request(secret, { model: "gpt", messages })).status, 200)
      const sent = JSON.stringify((yield* (yield* Script).requests).map(({ body }) => body))
      assert.notInclude(sent, "example.com")
      const tools = [{ type: "function", function: { name: "f", description: `mails ${EMAIL}`, parameters: {} } }]
      const denied = yield* gateway.request(secret, { model: "gpt", ...said("Hi"), tools })
      assert.strictEqual(denied.status, 400)
      assert.include(textOf(denied), "can't be masked where it is (tool_definition)")
    }).pipe(Effect.provide(world({ always: ["requests"] }, [Script.answer("hello")])))
  )

  it.effect("hold for the keys and teams that name them, and a header adds to them only", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const free = yield* gateway.createKey()
      const named = yield* gateway.createKey({ name: "ci" })
      const member = yield* gateway.createKey({ team: "research" })
      const ask = (secret: string, headers = {}) =>
        Effect.map(
          post("/v1/chat/completions", secret, { model: "gpt", ...said(KEY) }, headers),
          ({ status }) => status
        )
      assert.strictEqual(yield* ask(free), 200)
      assert.strictEqual(yield* ask(named), 400)
      assert.strictEqual(yield* ask(member), 400)
      assert.strictEqual(yield* ask(free, { "x-gateway-guardrails": "requests" }), 400)
      for (const header of ["", "nofiles", "nofiles,requests"]) {
        assert.strictEqual(yield* ask(named, { "x-gateway-guardrails": header }), 400)
      }
      const unknown = yield* post(
        "/v1/chat/completions",
        free,
        { model: "gpt", ...said("Hi") },
        { "x-gateway-guardrails": "strickt" }
      )
      assert.strictEqual(unknown.status, 400)
      assert.deepInclude(unknown.body["error"], { code: "guardrail_unknown", param: "x-gateway-guardrails" })
      assert.include(textOf(unknown), "`strict`, `requests`, `nofiles`")
    }).pipe(
      Effect.provide(world({ keys: { ci: ["requests"] }, teams: { research: ["requests"] } }, [Script.answer("hello")]))
    )
  )

  it.effect("deny files that no check can read, where the policy says so", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const secret = yield* gateway.createKey()
      const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }
      const denied = yield* gateway.request(secret, { model: "gpt", messages: [{ role: "user", content: [image] }] })
      assert.strictEqual(denied.status, 400)
      assert.include(textOf(denied), "/messages/0/content/0/image_url/url")
    }).pipe(Effect.provide(world({ always: ["nofiles"] }, [Script.answer("hello")])))
  )

  it.effect("deny on the gateway's own port, in the shape of the endpoint", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream(() => ({ body: completion("one") }))
      const gateway = yield* startGateway({
        yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }
deployments: [up/m]
guardrails:
  checks:
    secrets: { kind: secrets, action: deny }
    codename: { kind: regex, pattern: '(?i)apollo', max_length: 16, action: mask }
  policies: { strict: { request: [secrets, codename] } }
  always: [strict]
`
      })
      const { secret: key } = yield* gateway.createKey()
      const body = { model: "up/m", max_tokens: 9, ...said(KEY) }
      const openai = yield* call(gateway.url, { path: "/v1/chat/completions", key, body })
      assert.strictEqual(openai.status, 400)
      assert.deepInclude(openai.json.error, {
        code: "guardrail_denied",
        guardrail: { check: "secrets", rule: "github_token" }
      })
      const anthropic = yield* call(gateway.url, { path: "/v1/messages", key, body })
      assert.strictEqual(anthropic.status, 400)
      assert.strictEqual(anthropic.json.type, "error")
      assert.strictEqual(asked.length, 0)
      const masked = yield* call(gateway.url, {
        path: "/v1/chat/completions",
        key,
        body: { ...body, ...said("Apollo!") }
      })
      assert.strictEqual(masked.status, 200)
      assert.match(JSON.stringify(asked[0]?.body), /<CODENAME_[a-z2-7]{8}>!/)
    }).pipe(Effect.scoped)
  )
})

const streams = [false, true]

/** A response of OpenAI's own API: a text with log probabilities, and a call. */
const native = (text: string): JsonObject => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "gpt-5-mini",
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [], logprobs: [{ token: text, logprob: 0 }] }]
    },
    {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: "send",
      arguments: `{"to":"${EMAIL}"}`,
      status: "completed"
    }
  ],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
})

const nativeComplete = (text: string): Step => Script.raw({ body: JSON.stringify(native(text)) })

/** Each text comes character by character. */
const nativeStream = (text: string): Step => {
  const usage = { ...noUsage, input: 10, output: 5 }
  const events = responseEvents({ body: native(text), usage }).flatMap((event) => ("data" in event ? [event.data] : []))
  const split = events
    .filter((data) => data !== "")
    .flatMap((data) => {
      const event = JSON.parse(data) as JsonObject
      const { delta } = event
      return typeof delta === "string" ? [...delta].map((one) => ({ ...event, delta: one })) : [event]
    })
  const body = split.map((event, index) => {
    const numbered = { ...event, sequence_number: index }
    return `event: ${String((event as JsonObject)["type"])}\ndata: ${JSON.stringify(numbered)}\n\n`
  })
  return Script.raw({ headers: { "content-type": "text/event-stream" }, body })
}

describe("guardrails of responses", () => {
  for (const [path, body] of Object.entries(bodies)) {
    // Scripts speak chat for OpenAI: its own Responses API comes below.
    for (const model of path === "/v1/responses" ? ["claude"] : ["gpt", "claude"]) {
      for (const stream of streams) {
        const what = `${path} at ${model}, ${stream ? "streamed" : "complete"}`
        const asked = { model, ...body("Hi"), stream }

        it.effect(`mask ${what}`, () =>
          Effect.gen(function* () {
            const gateway = yield* TestGateway
            const secret = yield* gateway.createKey()
            const answer = yield* post(path, secret, asked)
            assert.strictEqual(answer.status, 200, textOf(answer))
            assert.isFalse(answer.isBroken)
            const text = textOf(answer)
            assert.notInclude(text, "example.com")
            assert.match(joined(text), /mail <EMAIL_[a-z2-7]{8}> about an invoice, now/)
            assert.include(text, '"guardrail":{"check":"pii","action":"mask"}')
            const receipt = yield* receiptOf(secret, answer.headers)
            assert.deepInclude(receipt["guardrails"], {
              check: "pii",
              stage: "response",
              action: "mask",
              rules: { email: 1 }
            })
            assert.deepInclude(receipt["guardrails"], {
              check: "noted",
              stage: "response",
              action: "flag",
              rules: { noted: 1 }
            })
          }).pipe(Effect.provide(world(strict, [pieces(`mail ${EMAIL} about an invoice, now`)])))
        )

        it.effect(`deny ${what}`, () =>
          Effect.gen(function* () {
            const gateway = yield* TestGateway
            const secret = yield* gateway.createKey()
            const answer = yield* post(path, secret, asked)
            assert.strictEqual(answer.status, 200, textOf(answer))
            assert.isFalse(answer.isBroken)
            const text = textOf(answer)
            for (const part of [KEY.slice(0, 8), KEY.slice(-8), "after"]) assert.notInclude(joined(text), part)
            assert.include(text, '"guardrail":{"check":"secrets","action":"deny"}')
            assert.match(text, /"finish_reason":"content_filter"|"stop_reason":"refusal"|"reason":"content_filter"/)
            if (stream) assert.include(joined(text), "the key is")
            const receipt = yield* receiptOf(secret, answer.headers)
            assert.strictEqual(receipt["status"], "blocked")
            assert.isAbove(yield* gateway.spent, 0)
            assert.deepInclude(receipt["usage"], { input: 10, output: 5 })
          }).pipe(Effect.provide(world(strict, [pieces(`the key is ${KEY} after`)])))
        )

        it.effect(`mask the arguments of tools of ${what}`, () =>
          Effect.gen(function* () {
            const gateway = yield* TestGateway
            const secret = yield* gateway.createKey()
            const answer = yield* post(path, secret, asked)
            assert.strictEqual(answer.status, 200, textOf(answer))
            const text = textOf(answer)
            assert.notInclude(joined(text), "example.com")
            assert.match(joined(text), /"to":"<EMAIL_[a-z2-7]{8}>"/)
            assert.match(text, /"name":"send"/)
          }).pipe(
            Effect.provide(
              world(strict, [Script.answer("", { toolCalls: [{ name: "send", arguments: { to: EMAIL, n: 1 } }] })])
            )
          )
        )
      }
    }
  }

  it.effect("mask every event of OpenAI's own Responses API, which repeats each text four times", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const secret = yield* gateway.createKey()
      const answer = yield* post("/v1/responses", secret, { model: "gpt", input: "Hi", stream: true })
      const text = textOf(answer)
      assert.strictEqual(answer.status, 200, text)
      assert.notInclude(text, "example.com")
      assert.notInclude(text, 'logprobs":[{')
      const events = answer.events as ReadonlyArray<JsonObject>
      assert.deepStrictEqual(
        events.map(({ sequence_number: number }) => number),
        events.map((_, index) => index)
      )
      const deltas = events.filter(({ type }) => String(type).endsWith("output_text.delta"))
      assert.match(deltas.map(({ delta }) => delta).join(""), /^mail <EMAIL_[a-z2-7]{8}> now$/)
      const called = events.filter(({ type }) => String(type).endsWith("arguments.delta"))
      assert.match(called.map(({ delta }) => delta).join(""), /^\{"to":"<EMAIL_[a-z2-7]{8}>"\}$/)
      assert.strictEqual(new Set(text.match(/<EMAIL_[a-z2-7]{8}>/g)).size, 1)
      const complete = yield* post("/v1/responses", secret, { model: "gpt", input: "Hi" })
      assert.notInclude(textOf(complete), "example.com")
      assert.match(textOf(complete), /mail <EMAIL_[a-z2-7]{8}> now/)
    }).pipe(Effect.provide(world(strict, [nativeStream(`mail ${EMAIL} now`), nativeComplete(`mail ${EMAIL} now`)])))
  )

  it.effect("store the masked input of a response", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const secret = yield* gateway.createKey()
      const first = yield* post("/v1/responses", secret, { model: "claude", input: `I am ${EMAIL}` })
      const previous_response_id = first.body["id"]
      const items = yield* gateway.send({
        method: "GET",
        path: `/v1/responses/${String(previous_response_id)}/input_items`,
        headers: { authorization: `Bearer ${secret}` }
      })
      assert.match(textOf(items), /I am <EMAIL_[a-z2-7]{8}>/)
      assert.notInclude(textOf(items), EMAIL)
      const next = yield* post("/v1/responses", secret, { model: "claude", input: CARD, previous_response_id })
      assert.strictEqual(next.status, 200)
      const sent = JSON.stringify((yield* (yield* Script).requests).at(-1)?.body)
      assert.match(sent, /I am <EMAIL_[a-z2-7]{8}>.*<CREDIT_CARD_/)
    }).pipe(Effect.provide(world(strict, [Script.answer("hello")])))
  )

  it.effect("deny a stream of OpenAI's own Responses API", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const secret = yield* gateway.createKey()
      const answer = yield* post("/v1/responses", secret, { model: "gpt", input: "Hi", stream: true })
      const text = textOf(answer)
      assert.notInclude(joined(text), KEY.slice(4, 12))
      const last = (answer.events as ReadonlyArray<JsonObject>).at(-1)!
      assert.strictEqual(last["type"], "response.incomplete")
      assert.deepInclude(last["response"], { status: "incomplete", incomplete_details: { reason: "content_filter" } })
      assert.strictEqual(last["sequence_number"], answer.events.length - 1)
    }).pipe(Effect.provide(world(strict, [nativeStream(`the key is ${KEY} after`)])))
  )

  it.effect("leave responses alone under a policy that checks requests only", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const secret = yield* gateway.createKey()
      const complete = yield* gateway.chat(secret, "gpt", "Hi")
      assert.strictEqual(complete.text, `mail ${EMAIL}`)
      const streamed = yield* gateway.chat(secret, "gpt", "Hi", { stream: true })
      assert.strictEqual(streamed.text, `mail ${EMAIL}`)
    }).pipe(Effect.provide(world({ always: ["requests"] }, [Script.answer(`mail ${EMAIL}`)])))
  )

  it.effect("keep the bound of a masked request at what is sent", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const text = "a@b.co ".repeat(2000)
      const policy = { "x-gateway-guardrails": "requests" }
      const secret = yield* gateway.createKey({ budgets: [{ usd: 1, window: "day" }] })
      yield* post("/v1/chat/completions", secret, { model: "gpt", ...said(text) }, policy)
      const [sent] = (yield* (yield* Script).requests).map(({ body }) => body["messages"])
      const small = { budgets: [{ usd: 0.0000001, window: "day" as const }] }
      const refused = yield* post("/v1/chat/completions", yield* gateway.createKey(small), {
        model: "gpt",
        messages: sent
      })
      // Placeholders differ by key, so the key is the same one.
      const key = (yield* (yield* KeyStore).list({
        limit: 9,
        after: undefined,
        team: undefined,
        status: undefined,
        search: undefined,
        visibility: "all"
      })).keys
      yield* (yield* KeyStore).update(key.at(-1)!.id, { budgets: [toBudget({ usd: 0.0000001, window: "day" })] })
      const masked = yield* post("/v1/chat/completions", secret, { model: "gpt", ...said(text) }, policy)
      assert.deepStrictEqual([refused.status, masked.status], [429, 429])
      const needed = (answer: typeof refused) => /can cost (\S+) USD/.exec(textOf(answer))?.[1]
      assert.isDefined(needed(masked))
      assert.strictEqual(needed(masked), needed(refused))
    }).pipe(Effect.provide(world({}, [Script.answer("hello")])))
  )

  it.effect("leave a response that they find nothing in as it is, and say nothing of it", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const secret = yield* gateway.createKey()
      const answer = yield* gateway.chat(secret, "gpt", "Hi")
      assert.strictEqual(answer.text, "all well")
      assert.isUndefined(answer.headers["x-gateway-guardrail-action"])
      assert.isFalse("guardrail" in (answer.body["gateway"] as JsonObject))
      const streamed = yield* gateway.chat(secret, "gpt", "Hi", { stream: true })
      assert.strictEqual(streamed.text, "all well")
    }).pipe(Effect.provide(world(strict, [Script.answer("all well")])))
  )

  it.effect("do not call another deployment after a denial", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const secret = yield* gateway.createKey()
      for (const stream of streams) yield* gateway.chat(secret, "both", "Hi", { stream })
      assert.strictEqual((yield* (yield* Script).requests).length, 2)
    }).pipe(Effect.provide(world(strict, [pieces(KEY)])))
  )
})

/** All texts of a body or of the events of a stream, one after the other. */
const joined = (text: string): string => {
  const objects = text.startsWith("{") ? [text] : [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => data!)
  const strings: Array<string> = []
  const visit = (value: unknown, name: string): void => {
    if (typeof value === "string" && /^(?:content|text|delta|partial_json|arguments)$/.test(name)) strings.push(value)
    if (typeof value === "object" && value !== null) {
      for (const [key, one] of Object.entries(value))
        visit(key === "input" ? JSON.stringify(one) : one, key === "input" ? "text" : key)
    }
  }
  for (const object of objects) visit(JSON.parse(object), "")
  return strings.join("")
}
