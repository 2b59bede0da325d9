import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Metric, Result, Scope } from "effect"
import { parseSettings } from "../../../gateway/src/config/ParseSettings.ts"
import { knownVendors } from "../../../gateway/src/providers/vendors/Vendors.ts"
import { Meters } from "../../../gateway/src/telemetry/metrics/Meters.ts"
import { call } from "../../../gateway/test/support/RawHttp.ts"
import { masterKey, startGateway } from "../../../gateway/test/support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../../../gateway/test/support/Upstream.ts"
import { collector } from "../../../gateway/test/telemetry/Collector.ts"
import { readPrometheus, valueOf } from "../../../gateway/test/telemetry/Prometheus.ts"
import * as ContentLogLive from "../../src/content/ContentLogLive.ts"

const EMAIL = "bob@example.com"
const KEY = `ghp_${"aB3".repeat(12)}`
const resource = { serviceName: "gw", attributes: {} }

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "content-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** A gateway that logs content as `section` says. `close` writes what waits. */
const logging = Effect.fnUntraced(function* (
  section: string,
  answer: (isStream: boolean) => object | ReadonlyArray<string>
) {
  const provider = yield* upstream(({ body }) => ({ body: answer(body.stream === true) }))
  const yaml = `
providers:
  up: { protocol: openai-chat, base_url: "${provider.baseUrl}", api_key: none }
deployments: [up/m]
content:
${section.replaceAll(/^/gm, "  ")}
`
  const options = { file: "gateway.yaml", vendors: knownVendors, environment: {}, readFile: () => Result.fail("none") }
  const { content, guardrails } = yield* Effect.fromResult(
    parseSettings(`master_key: "${masterKey}"\n${yaml}`, options)
  )
  const said: Array<string> = []
  const registry: Metric.MetricRegistry = new Map()
  const scope = yield* Scope.fork(yield* Effect.scope)
  const context = yield* Layer.buildWithScope(
    ContentLogLive.layer(content!, guardrails, resource).pipe(
      Layer.provide(Layer.succeed(Metric.MetricRegistry, registry)),
      Layer.provideMerge(Logger.layer([Logger.make<unknown, void>(({ message }) => void said.push(String(message)))]))
    ),
    scope
  )
  const gateway = yield* Effect.provideContext(startGateway({ yaml }), context)
  const counted = (sink: string, result: string) =>
    valueOf(readPrometheus(new Meters(registry).prometheus()), "gateway_content_records_total", { sink, result })
  return { gateway, said, counted, close: Scope.close(scope, Exit.void) }
})

const ask = (url: string, key: string, fields: object = {}, headers: Record<string, string> = {}) =>
  call(url, {
    path: "/v1/chat/completions",
    key,
    headers,
    body: {
      model: "up/m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: `mail ${EMAIL} with ${KEY}` }
      ],
      ...fields
    }
  })

const answers = (isStream: boolean) =>
  isStream ? completionEvents("write to ", ..."bob@exam", "ple.com") : completion(`write to ${EMAIL}`)

const lines = (folder: string) =>
  readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  )

describe("a content log", () => {
  it.live("writes redacted prompts and responses to files, and shows them to administrators with an audit entry", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const { close, gateway } = yield* logging(
        `default: full\nsinks: { files: { kind: jsonl, folder: "${folder}" } }`,
        answers
      )
      const { secret } = yield* gateway.createKey()
      const complete = yield* ask(gateway.url, secret)
      yield* ask(gateway.url, secret, { stream: true })
      const id = complete.headers["x-gateway-receipt-id"]!
      const shown = yield* gateway.admin("GET", `/admin/requests/${id}/content`)
      assert.strictEqual(shown.status, 404, "it is not written yet")
      yield* close
      const all = lines(folder)
      assert.lengthOf(all, 2)
      for (const line of all) {
        assert.deepInclude(line, { v: 1, level: "full", cut: false, status: "ok", endpoint: "/v1/chat/completions" })
        assert.deepStrictEqual(line.input, [
          { role: "system", parts: [{ type: "text", content: "Be brief.", length: 9 }] },
          { role: "user", parts: [{ type: "text", content: "mail <EMAIL> with <SECRET>", length: 66 }] }
        ])
        assert.deepStrictEqual(line.output, [
          {
            role: "assistant",
            parts: [{ type: "text", content: "write to <EMAIL>", length: 24 }],
            finish_reason: "stop"
          }
        ])
      }
      const read = yield* gateway.admin("GET", `/admin/requests/${id}/content`)
      assert.strictEqual(read.status, 200, read.text)
      assert.strictEqual(read.json.output[0].parts[0].content, "write to <EMAIL>")
      const audit = yield* gateway.admin("GET", "/admin/audit?limit=5")
      assert.deepInclude(audit.json.data[0], { action: "content.read", after: { level: "full" } })
    })
  )

  it.live("sends OpenTelemetry's GenAI attributes on the span of the call, in the trace of the request", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector()
      const sink = `sinks: { lf: { kind: otlp, url: "${url}/api/public/otel/v1/traces", headers: { authorization: "Basic abc" } } }`
      const tool = { type: "function", function: { name: "send", arguments: `{"to":"${EMAIL}"}` }, id: "c1" }
      const { close, gateway } = yield* logging(`default: full\n${sink}`, () =>
        completion("", {
          choices: [
            { index: 0, message: { role: "assistant", content: null, tool_calls: [tool] }, finish_reason: "tool_calls" }
          ]
        })
      )
      const { secret } = yield* gateway.createKey()
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      const tools = [{ type: "function", function: { name: "send", parameters: { type: "object" } } }]
      yield* ask(gateway.url, secret, { tools }, { traceparent })
      yield* close
      assert.strictEqual(got[0]?.path, "/api/public/otel/v1/traces")
      assert.strictEqual(got[0]?.headers["authorization"], "Basic abc")
      const spans = got[0]!.json.resourceSpans[0].scopeSpans[0].spans
      const span = spans.find(({ kind }: { kind: number }) => kind === 3)
      assert.strictEqual(span.traceId, traceparent.slice(3, 35))
      const attributes = new Map<string, string>(
        span.attributes.map((one: { key: string; value: { stringValue?: string } }) => [one.key, one.value.stringValue])
      )
      assert.strictEqual(attributes.get("gen_ai.operation.name"), "chat")
      assert.deepStrictEqual(JSON.parse(attributes.get("gen_ai.input.messages")!)[1], {
        role: "user",
        parts: [{ type: "text", content: "mail <EMAIL> with <SECRET>" }]
      })
      assert.deepStrictEqual(JSON.parse(attributes.get("gen_ai.output.messages")!), [
        {
          role: "assistant",
          parts: [{ type: "tool_call", name: "send", arguments: '{"to":"<EMAIL>"}' }],
          finish_reason: "tool_calls"
        }
      ])
      assert.deepStrictEqual(JSON.parse(attributes.get("gen_ai.tool.definitions")!), tools)
      assert.notInclude(JSON.stringify(got[0]!.json), EMAIL)
    })
  )

  it.live("sends protobuf to a collector that takes nothing else", () =>
    Effect.gen(function* () {
      const { got, url } = yield* collector()
      const sink = `sinks: { dd: { kind: otlp, url: "${url}/v1/traces", protocol: protobuf } }`
      const { close, gateway } = yield* logging(`default: full\n${sink}`, answers)
      yield* ask(gateway.url, (yield* gateway.createKey()).secret)
      yield* close
      assert.strictEqual(got[0]?.headers["content-type"], "application/x-protobuf")
      assert.include(got[0]!.bytes.toString("latin1"), "gen_ai.input.messages")
    })
  )

  it.live("logs the least of what key, team, header and maximum allow", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const { close, gateway } = yield* logging(
        `keys: { ci: full, quiet: none }\nteams: { research: metadata }\nsinks: { files: { kind: jsonl, folder: "${folder}" } }`,
        answers
      )
      const keyOf = (key: object) => Effect.map(gateway.createKey(key), ({ secret }) => secret)
      yield* ask(gateway.url, yield* keyOf({ name: "other" }))
      yield* ask(gateway.url, yield* keyOf({ name: "quiet", team: "research" }))
      const ci = yield* keyOf({ name: "ci" })
      yield* ask(gateway.url, ci, {}, { "x-gateway-content": "none" })
      yield* ask(gateway.url, yield* keyOf({ name: "member", team: "research" }))
      yield* ask(gateway.url, ci, {}, { "x-gateway-content": "metadata" })
      yield* ask(gateway.url, ci)
      const wrong = yield* ask(gateway.url, ci, {}, { "x-gateway-content": "full" })
      assert.strictEqual(wrong.status, 400)
      assert.include(wrong.text, "must be `none` or `metadata`")
      yield* close
      assert.deepStrictEqual(
        lines(folder).map(({ key_name: name, level }) => [name, level]),
        [
          ["member", "metadata"],
          ["ci", "metadata"],
          ["ci", "full"]
        ]
      )
      assert.deepStrictEqual(lines(folder)[0].output[0].parts, [{ type: "text", length: 24 }])
    })
  )

  it.live("cuts long content, and finds what begins before the cut", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const { close, gateway } = yield* logging(
        `default: full\ncapture_kb: 1\nsinks: { files: { kind: jsonl, folder: "${folder}" } }`,
        answers
      )
      const { secret } = yield* gateway.createKey()
      const text = `${"a ".repeat(508)}${EMAIL} and more`
      yield* ask(gateway.url, secret, { messages: [{ role: "user", content: text }] })
      yield* close
      const [line] = lines(folder)
      assert.isTrue(line.cut)
      assert.match(line.input[0].parts[0].content, /a <EMAIL> $|a <EMAIL>/)
    })
  )

  it.live("drops what a dead collector does not take, and lets requests pass", () =>
    Effect.gen(function* () {
      const { url } = yield* collector(() => 400)
      const { close, counted, gateway } = yield* logging(
        `default: full\nqueue_mb: 1\nsinks: { dead: { kind: otlp, url: "${url}/v1/traces" } }`,
        answers
      )
      const { secret } = yield* gateway.createKey()
      for (let index = 0; index < 3; index++) {
        const messages = [{ role: "user", content: "long ".repeat(100_000) }]
        assert.strictEqual((yield* ask(gateway.url, secret, { messages })).status, 200)
      }
      yield* close
      assert.strictEqual(counted("dead", "written"), 0)
      assert.strictEqual(counted("dead", "dropped"), 3)
    })
  )

  it.live("drops what can't be written, counts it and says so once", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const { close, counted, gateway, said } = yield* logging(
        `default: full\nsinks: { full: { kind: jsonl, folder: "/dev/full/x" }, files: { kind: jsonl, folder: "${folder}" } }`,
        answers
      )
      const { secret } = yield* gateway.createKey()
      assert.strictEqual((yield* ask(gateway.url, secret)).status, 200)
      yield* close
      assert.deepStrictEqual([counted("full", "written"), counted("full", "dropped")], [0, 1])
      assert.deepStrictEqual([counted("files", "written"), counted("files", "dropped")], [1, 0])
      assert.strictEqual(said.filter((line) => line.includes("content is not written to /dev/full/x")).length, 1)
    })
  )

  it.live("compresses old files and deletes those whose time is over", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const now = Date.now()
      const write = (hours: number) => {
        const at = now - hours * 3_600_000
        const path = join(folder, `content-${at}-1.jsonl`)
        writeFileSync(path, '{"v":1}\n')
        utimesSync(path, at / 1000, at / 1000)
        return path
      }
      const old = write(2)
      const over = write(72)
      const { close, gateway } = yield* logging(
        `default: full\nsinks: { files: { kind: jsonl, folder: "${folder}", rotate: 1h, keep: 2d } }`,
        answers
      )
      yield* ask(gateway.url, (yield* gateway.createKey()).secret)
      yield* close
      const names = readdirSync(folder)
      assert.lengthOf(names, 2)
      assert.notInclude(names.join(), over.slice(folder.length + 1))
      assert.strictEqual(gunzipSync(readFileSync(`${old}.gz`)).toString(), '{"v":1}\n')
    })
  )
})
