/** Bodies that are JSON and mean no good: they are data to the provider, or a refusal by name, and never anything to the gateway. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { withCpu } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { masterKey, startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]

/** A gateway whose upstream answers everything and keeps what it was sent. */
const started = Effect.gen(function* () {
  const up = yield* upstream(({ body }) => ({
    body: body.stream === true ? completionEvents("one") : completion("one")
  }))
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 } }]
`
  })
  const { secret } = yield* gateway.createKey()
  const send = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      headers: { "content-type": "application/json", ...headers },
      body
    })
  const administer = (path: string, body: string | Uint8Array, method = "POST") =>
    call(gateway.url, {
      method,
      path,
      key: masterKey,
      headers: { "content-type": "application/json", connection: "close" },
      body
    })
  return { ...gateway, up, secret, send, administer }
})

const around = (field: string) => `{"model":"up/m","messages":[{"role":"user","content":"Hi"}],${field}}`
const polluted = () => ["polluted", "stream", "n", "admin", "model"].some((name) => Reflect.get({}, name) !== undefined)

describe("names that mean something to JavaScript", () => {
  it.live("are data at every level, and arrive as they were sent", () =>
    Effect.gen(function* () {
      const { send, up } = yield* started
      const evil = '{"polluted":true,"n":7,"constructor":{"prototype":{"polluted":true}},"__proto__":{"polluted":true}}'
      const tool = `{"type":"function","__proto__":${evil},"function":{"name":"__proto__","parameters":${evil}}}`
      const bodies = [
        around(`"__proto__":${evil}`),
        around(`"constructor":${evil},"prototype":${evil},"toString":1,"hasOwnProperty":null`),
        around(`"metadata":${evil},"tools":[${tool}],"response_format":${evil},"logit_bias":${evil}`),
        `{"model":"up/m","messages":[{"role":"user","__proto__":${evil},"content":[{"type":"text","text":"Hi","__proto__":${evil}}]}]}`,
        `{"model":"up/m","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"__proto__":${evil}}}`
      ]
      for (const [index, body] of bodies.entries()) {
        const { status, text } = yield* send(body)
        assert.strictEqual(status, 200, text)
        assert.isFalse(polluted())
        const sent = JSON.stringify(up.asked[index]!.body)
        assert.isTrue(sent.includes('"__proto__"') || sent.includes('"constructor"'), sent)
      }
    })
  )

  it.live("are no models, keys or teams", () =>
    Effect.gen(function* () {
      const { admin, send, secret, url } = yield* started
      for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "up/__proto__", "__proto__/m"]) {
        const { json, status } = yield* send(JSON.stringify({ model: name, messages }))
        assert.deepStrictEqual([status, json.error.code], [404, "model_not_found"], name)
        const path = `/v1/models/${encodeURIComponent(name)}`
        assert.strictEqual((yield* call(url, { method: "GET", path, key: secret })).status, 404, name)
        assert.strictEqual((yield* admin("GET", `/admin/keys/${encodeURIComponent(name)}`)).status, 404, name)
        // Some of them no team can have.
        assert.include([400, 404], (yield* admin("GET", `/admin/teams/${encodeURIComponent(name)}`)).status, name)
      }
    })
  )
})

describe("bytes and numbers", () => {
  it.live("that are not UTF-8, or begin with a mark, are a 400: another text would reach the provider", () =>
    Effect.gen(function* () {
      const { administer, send, up } = yield* started
      const [head, tail] = [around('"user":"'), '"}'] as const
      const inString = head.slice(0, head.lastIndexOf('"') + 1)
      for (const [why, bytes] of [
        ["a lone continuation", [0x80]],
        ["a cut sequence", [0xe2, 0x82]],
        ["an overlong slash", [0xc0, 0xaf]],
        ["an encoded surrogate", [0xed, 0xa0, 0x80]],
        ["beyond Unicode", [0xf5, 0x80, 0x80, 0x80]]
      ] as const) {
        const body = Buffer.concat([Buffer.from(inString), Buffer.from(bytes), Buffer.from(tail)])
        const { json, status } = yield* send(body)
        assert.deepStrictEqual([status, json.error.code], [400, "invalid_json"], why)
        assert.include(json.error.message, "UTF-8")
        const key = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from(tail)])
        assert.strictEqual((yield* administer("/admin/keys", key)).status, 400, why)
      }
      for (const start of ["\ufeff", "\u0000", "\ufffe"]) {
        assert.strictEqual((yield* send(start + around('"user":"x"'))).status, 400)
      }
      assert.strictEqual((yield* send(Buffer.from(around('"user":"x"'), "utf16le"))).status, 400)
      assert.lengthOf(up.asked, 0)
    })
  )

  it.live("in strings pass as they are: lone surrogates, NUL, line ends, marks", () =>
    Effect.gen(function* () {
      const { send, up } = yield* started
      const strange = '\\ud800 \\udc00\\ud800 \\u0000 \\r\\n \\u2028 \\ufeff \\uffff "quoted" \u202e🜁'.replaceAll(
        '"',
        '\\"'
      )
      const body = `{"model":"up/m","messages":[{"role":"user","content":"${strange}"}],"user":"${strange}"}`
      const { status, text } = yield* send(body)
      assert.strictEqual(status, 200, text)
      assert.strictEqual(up.asked[0]!.body.messages[0].content, JSON.parse(`"${strange}"`))
    })
  )

  it.live("that no count can be are a 400 that names the field, and too large a number is one for the whole body", () =>
    Effect.gen(function* () {
      const { send, up } = yield* started
      const counts = [
        "0",
        "-0",
        "-1",
        "1.5",
        "1e9",
        "1152921504606846976",
        "9007199254740993",
        '"1"',
        "true",
        "[1]",
        "{}"
      ]
      for (const field of ["n", "max_tokens", "max_completion_tokens"]) {
        for (const value of counts) {
          const { json, status } = yield* send(around(`"${field}":${value}`))
          assert.deepStrictEqual([status, json.error.code, json.error.param], [400, "invalid_field", field], value)
        }
      }
      for (const value of [
        "1e999",
        "1E+400",
        "-1e999",
        "0.1e500",
        "[1e309]",
        "1234567890e300",
        "9".repeat(400),
        '{"__proto__":99e307}'
      ]) {
        for (const field of ["n", "max_tokens", "temperature", "metadata"]) {
          const { json, status } = yield* send(around(`"${field}":${value}`))
          assert.deepStrictEqual([status, json.error.code], [400, "invalid_json"], `${field} ${value}`)
        }
      }
      assert.lengthOf(up.asked, 0)
      for (const value of ["1e-999", "-0", "0.7", "1e30", "true", '"1e999"']) {
        const { status, text } = yield* send(around(`"temperature":${value}`))
        assert.strictEqual(status, 200, text)
      }
    })
  )
})

describe("shapes", () => {
  it.live("that fit nowhere are refused or passed on, never a failure", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      const shapes = ["0", "true", '"x"', "[]", "[1]", "{}", '{"a":[{}]}', '[["x"]]', "null"]
      const fields = [
        "messages",
        "tools",
        "tool_choice",
        "functions",
        "response_format",
        "stream_options",
        "metadata",
        "stop",
        "logit_bias",
        "temperature",
        "stream",
        "user",
        "modalities",
        "reasoning_effort",
        "model"
      ]
      for (const field of fields) {
        for (const shape of shapes) {
          const { status, text } = yield* send(around(`"${field}":${shape}`))
          assert.include([200, 400, field === "model" ? 404 : 400], status, `${field}: ${shape}: ${text}`)
        }
      }
      for (const part of shapes) {
        for (const message of [
          part,
          `{"role":${part}}`,
          `{"role":"user","content":${part}}`,
          `{"role":"user","content":[${part}]}`
        ]) {
          const { status, text } = yield* send(`{"model":"up/m","messages":[${message}]}`)
          assert.include([200, 400], status, `${message}: ${text}`)
        }
      }
    })
  )

  it.live("of 100,000 names are refused, whatever hash of 32 bits their names were made to share", () =>
    Effect.gen(function* () {
      const { send, up } = yield* started
      // All have one hash under FNV-1a, begun with their length.
      const stages = [collisions(18, 999), collisions(999, 1_000), collisions(1_000, 7)]
      const names: Array<string> = []
      for (const first of stages[0]!.slice(0, 50)) {
        for (const second of stages[1]!.slice(0, 50))
          for (const third of stages[2]!.slice(0, 40)) names.push(first + second + third)
      }
      assert.strictEqual(new Set(names).size, 100_000)
      const metadata = `{${names.map((name) => `"${name}":1`).join(",")}}`
      const { json, status } = yield* send(
        `{"model":"up/m","messages":${JSON.stringify(messages)},"metadata":${metadata}}`
      )
      assert.deepStrictEqual([status, json.error.code], [400, "invalid_json"])
      assert.include(json.error.message, "different names")
      assert.lengthOf(up.asked, 0)
    })
  )

  it.live("of one string of backslashes take time for their length, not for its square", () =>
    Effect.gen(function* () {
      const { send, up } = yield* started
      const text = "\\\\".repeat(12 * 2 ** 20)
      const body = `{"model":"up/m","messages":[{"role":"user","content":"${text}"}]}`
      const { cpuMs, value } = yield* withCpu(send(body))
      assert.strictEqual(value.status, 200)
      assert.strictEqual(up.asked[0]?.body.messages[0].content.length, text.length / 2)
      assert.isBelow(cpuMs, 2_500)
    })
  )

  it.live("of ten million brackets are refused at once", () =>
    Effect.gen(function* () {
      const { send } = yield* started
      const most = 10 * 1024 * 1024 - 100
      for (const unit of ["[", '{"a":', "[]", "[],", '"",', "0,"]) {
        const { cpuMs, value } = yield* withCpu(send(`{"x":${unit.repeat(Math.floor(most / unit.length))}`))
        assert.deepStrictEqual([value.status, value.json.error.code], [400, "invalid_json"], unit)
        assert.isBelow(cpuMs, 1_000, unit)
      }
    })
  )
})

describe("names from outside", () => {
  const names = [
    "a\r\nX-Evil: 1",
    "模型🜁",
    "\u202eevil",
    "../../etc/passwd",
    "%0d%0aX: 1",
    "\u0000",
    "\ud800",
    " ",
    "x".repeat(65_536),
    "*".repeat(5_000)
  ]

  it.live("of models are in no header, and the error stays short", () =>
    Effect.gen(function* () {
      const { send, secret, url } = yield* started
      for (const name of names) {
        const { headers, json, status, text } = yield* send(JSON.stringify({ model: name, messages }))
        assert.deepStrictEqual([status, json.error.code], [404, "model_not_found"])
        assert.isBelow(text.length, 2_000)
        assert.isUndefined(headers["x-evil"])
        if (name.length < 10_000) {
          const path = `/v1/models/${encodeURIComponent(name.toWellFormed())}`
          assert.strictEqual((yield* call(url, { method: "GET", path, key: secret })).status, 404)
        }
      }
    })
  )

  it.live("of keys, teams, tags and metadata are kept as they are, or refused", () =>
    Effect.gen(function* () {
      const { administer, up, url } = yield* started
      for (const name of names) {
        const key = yield* administer("/admin/keys", JSON.stringify({ name, metadata: { [name]: name } }))
        assert.include([201, 400], key.status, key.text)
        const team = yield* administer("/admin/keys", JSON.stringify({ team: name, tags: [name], models: [name] }))
        assert.include([201, 400], team.status, team.text)
        if (key.status !== 201) continue
        const answer = yield* call(url, {
          path: "/v1/chat/completions",
          key: key.json.key,
          body: { model: "up/m", messages }
        })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.isUndefined(answer.headers["x-evil"])
        const spend = yield* administer("/admin/spend", "", "GET")
        assert.strictEqual(spend.status, 200)
      }
      assert.isAbove(up.asked.length, 2)
    })
  )

  it.live("that are globs made to be slow are not", () =>
    Effect.gen(function* () {
      const { administer, url } = yield* started
      for (const glob of [`${"*a".repeat(200)}*b`, "*".repeat(400), `${"*".repeat(200)}z`, `${"a*".repeat(200)}`]) {
        const key = yield* administer("/admin/keys", JSON.stringify({ models: [glob] }))
        assert.include([201, 400], key.status, key.text)
        if (key.status !== 201) continue
        const body = { model: "a".repeat(60_000), messages }
        const { cpuMs, value } = yield* withCpu(call(url, { path: "/v1/chat/completions", key: key.json.key, body }))
        assert.include([403, 404], value.status)
        assert.isBelow(cpuMs, 500)
      }
    })
  )
})

/** All strings of six characters that lead from one state of FNV-1a to another: three forward and three back meet in the middle. */
const collisions = (from: number, to: number): ReadonlyArray<string> => {
  const prime = 0x01000193
  let inverse = 1
  for (let round = 0; round < 6; round++) inverse = Math.imul(inverse, 2 - Math.imul(prime, inverse))
  const letters = Array.from({ length: 94 }, (_, index) => index + 33).filter((code) => code !== 34 && code !== 92)
  const triples = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => [a, b, c] as const)))
  const forward = new Map<number, string>()
  for (const triple of triples) {
    const state = triple.reduce((hash, code) => Math.imul(hash ^ code, prime), from)
    forward.set(state, String.fromCharCode(...triple))
  }
  return triples.flatMap((triple) => {
    const state = triple.reduceRight((hash, code) => Math.imul(hash, inverse) ^ code, to)
    const start = forward.get(state)
    return start === undefined ? [] : [start + String.fromCharCode(...triple)]
  })
}
