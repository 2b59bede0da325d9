/** `check --live --calls` against vendors on real ports. The vendors refuse what `test/catalogue/refusing` lists. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Ask } from "../../src/Environment.ts"
import { answeredAt, type Heard } from "../../../gateway/test/catalogue/refusing/RefusingVendor.ts"
import type { Loose } from "../../../gateway/test/catalogue/refusing/Seen.ts"
import { gatewayProcess, listening } from "../../../gateway/test/support/GatewayProcess.ts"
import { eventually } from "../../../gateway/test/support/Patience.ts"
import { call } from "../../../gateway/test/support/RawHttp.ts"
import {
  completion,
  completionEvents,
  type Reply,
  upstream,
  vendorError
} from "../../../gateway/test/support/Upstream.ts"
import { invoke } from "../Invoke.ts"
import { folder, run } from "../Support.ts"

const KEY = "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"
const env = { GATEWAY_MASTER_KEY: KEY }
const CALLS = ["check", "--live", "--calls"]

/** The vendors by the host that their address names as its first folder. */
const vendors = Effect.gen(function* () {
  const heard: Array<Heard> = []
  const { baseUrl } = yield* upstream(({ body, method, path }) => {
    if (method === "GET") return { status: 404, body: vendorError("no list") }
    const answered = answeredAt(path, body)
    heard.push(answered.heard)
    return { status: answered.status, headers: answered.headers, body: answered.bytes }
  })
  return { at: (host: string, base: string) => baseUrl.replace(/\/v1$/, `/${host}${base}`), heard }
})

const priced = "price: { input: 1, output: 2 }, context_window: 8000"

/** A server of one's own whose models refuse what `refuses` says. */
const server = (refuses: (body: Loose) => string | undefined) =>
  upstream(({ body, method }): Reply => {
    if (method === "GET") return { body: { object: "list", data: [{ id: "m" }] } }
    const why = refuses(body)
    if (why !== undefined) return { status: 400, body: vendorError(why) }
    return { body: body.stream === true ? completionEvents("hello") : completion("hello") }
  })

const configured = Effect.fnUntraced(function* (text: string) {
  const cwd = yield* folder
  const config = join(cwd, "gateway.yaml")
  writeFileSync(config, `master_key: \${GATEWAY_MASTER_KEY}\nserver: { port: 0 }\n${text}\n`)
  const learnt = join(cwd, "catalogue.learnt.json")
  return {
    cwd,
    config,
    learnt,
    check: (...more: ReadonlyArray<string>) => run([...CALLS, ...more], { cwd, env }),
    checkHere: (...more: ReadonlyArray<string>) => invoke([...CALLS, "--config", config, ...more], env),
    catalogue: (...args: ReadonlyArray<string>) => invoke(["catalogue", ...args, "--config", config], env),
    modelsLearnt: () => JSON.parse(readFileSync(learnt, "utf8")).models as Loose
  }
})

const own = (baseUrl: string, more = "") =>
  configured(
    `providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }\ndeployments: [{ provider: up, model: m, ${priced}${more} }]`
  )

/** A running gateway of this configuration, and what a key without a budget gets of it. */
const serving = Effect.fnUntraced(function* (config: string) {
  const {
    end,
    ready: url,
    stderr
  } = yield* gatewayProcess(["serve", "--config", config], listening, { environment: env })
  const { json } = yield* call(url, { path: "/admin/keys", key: KEY, body: {} })
  return {
    stop: Effect.suspend(() => end("SIGTERM")),
    stderr,
    ask: (body: object) =>
      call(url, { path: "/v1/chat/completions", key: String(json.key), body: { messages: [], ...body } })
  }
})

const messages = [{ role: "user", content: "hi" }]
const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }]

describe("check --live --calls", () => {
  it.live("calls models that the catalogue knows without one refusal, and learns nothing", () =>
    Effect.gen(function* () {
      const { at, heard } = yield* vendors
      const { check, learnt, modelsLearnt } = yield* configured(
        `providers:
  openai: { base_url: "${at("api.openai.com", "/v1")}", api_key: k }
  anthropic: { base_url: "${at("api.anthropic.com", "/v1")}", api_key: k }
  google-ai-studio: { base_url: "${at("generativelanguage.googleapis.com", "/v1beta")}", api_key: k }
deployments: [openai/gpt-6.2-sol, anthropic/claude-opus-5-5, google-ai-studio/gemini-4-neon]`
      )
      const { code, stderr, stdout } = yield* check("--yes")
      assert.strictEqual(code, 0, stdout + stderr)
      assert.deepStrictEqual(
        heard.filter(({ refused }) => refused !== undefined),
        []
      )
      assert.strictEqual(heard.length, 18)
      assert.match(stdout, /^DEPLOYMENT +PLAIN +STREAM +TOOL +TOOL \+ EFFORT +SCHEMA +IMAGE$/m)
      assert.match(stdout, /^openai\/gpt-6\.2-sol +✓ +✓ +✓ responses +✓ responses +✓ +\? not seen$/m)
      assert.match(stdout, /^0\.00\d+ USD of 0\.05 USD were spent\.$/m)
      assert.deepStrictEqual(modelsLearnt(), {})
      assert.include(stdout, "catalogue.learnt.json is written")
      assert.isTrue(existsSync(learnt))
    }).pipe(Effect.scoped)
  )

  it.live("learns where a model takes tools, and a gateway in service sends them there", () =>
    Effect.gen(function* () {
      const { at, heard } = yield* vendors
      const { catalogue, check, config, cwd, modelsLearnt } = yield* configured(
        `providers: { openai: { base_url: "${at("api.openai.com", "/v1")}", api_key: k } }\ndeployments: [openai/gpt-6.2-sol]`
      )
      const file = {
        schema: "catalogue/v1",
        version: "bare",
        made: "2027-01-02T00:00:00Z",
        models: {
          "openai/gpt-6.2-sol": { operations: ["chat", "responses"], prices: [{ usd: { input: 2, output: 10 } }] }
        }
      }
      writeFileSync(join(cwd, "catalogue.json"), JSON.stringify(file))
      const before = readFileSync(config, "utf8")
      const { code, stderr, stdout } = yield* check("--yes")
      assert.strictEqual(code, 0, stdout + stderr)
      assert.strictEqual(readFileSync(config, "utf8"), before)
      assert.match(stdout, /^openai\/gpt-6\.2-sol +✓ +✓ +✓ responses +✓ responses/m)
      const { rules, sources } = modelsLearnt()["openai/gpt-6.2-sol"]
      assert.deepInclude(rules, { in: ["chat"], when: ["tools"], use: "responses", note: "learnt from a call" })
      assert.include(Object.keys(sources), "tool")
      const diff = yield* catalogue("diff", "loaded", "learnt")
      assert.match(diff.stdout, /^bare → bare\+learnt\n/)
      assert.match(
        diff.stdout,
        /↑ openai\/gpt-6\.2-sol {2}rule: \{"in":\["chat"\],"when":\["tools"\],"use":"responses"/
      )
      const shown = yield* catalogue("show", "openai/gpt-6.2-sol")
      assert.match(shown.stdout, /catalogue +bare\+learnt/)
      assert.match(shown.stdout, /source +learnt by tool: /)
      const { ask } = yield* serving(config)
      heard.length = 0
      const { json, status } = yield* ask({ model: "openai/gpt-6.2-sol", messages, tools })
      assert.strictEqual(status, 200, JSON.stringify(json))
      assert.deepStrictEqual(
        heard.map(({ refused, seen }) => [seen.spoken, refused]),
        [["responses", undefined]]
      )
      assert.strictEqual(json.choices[0].message.tool_calls[0].function.name, "look")
    }).pipe(Effect.scoped)
  )

  it.live("learns what a model lacks, names the vendor's words, and forgets it when the model takes it", () =>
    Effect.gen(function* () {
      const refused: { text: string | undefined } = { text: "image_url is not supported" }
      const { asked, baseUrl } = yield* server((body) =>
        JSON.stringify(body).includes("image_url") ? refused.text : undefined
      )
      const { catalogue, check, config, learnt, modelsLearnt } = yield* own(baseUrl)
      const { ask, stderr, stop } = yield* serving(config)
      const image = {
        model: "up/m",
        messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] }]
      }
      const first = yield* check("--yes")
      assert.strictEqual(first.code, 0, first.stdout + first.stderr)
      assert.match(first.stdout, /^up\/m +✓ +✓ +\? no call +\? no call +\? no JSON +✗ 400$/m)
      assert.match(first.stdout, /^✗ up\/m, image: .*image_url is not supported/m)
      assert.deepStrictEqual(modelsLearnt()["openai-compatible/m"].protocol, { lacks: ["images"] })
      assert.match((yield* catalogue("diff", "shipped", "learnt")).stdout, /↑ openai-compatible\/m {2}protocol null → /)
      yield* eventually(Effect.sync(stderr), (text) => text.includes("what was learnt of 1 models"))
      const before = asked.length
      const refusal = yield* ask(image)
      assert.strictEqual(refusal.json.error.code, "unsupported_feature")
      assert.strictEqual(asked.length, before)
      writeFileSync(learnt, "{")
      yield* eventually(Effect.sync(stderr), (text) => text.includes("the file of what was learnt was not loaded"))
      assert.strictEqual((yield* ask(image)).json.error.code, "unsupported_feature")
      yield* stop
      const again = yield* serving(config)
      yield* eventually(Effect.sync(again.stderr), (text) => text.includes("was not loaded"))
      assert.strictEqual((yield* again.ask(image)).json.error.code, "unsupported_feature")
      refused.text = undefined
      const second = yield* check("--yes")
      assert.match(second.stdout, /catalogue\.learnt\.json: the file is not JSON/)
      assert.deepStrictEqual(modelsLearnt(), {})
      assert.strictEqual((yield* eventually(again.ask(image), ({ status }) => status === 200)).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("learns the name of the output limit, and drops an effort that tools refuse", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* server((body) =>
        body.max_tokens !== undefined
          ? "Use max_completion_tokens"
          : body.tools !== undefined && body.reasoning_effort !== undefined
            ? "no effort with tools"
            : undefined
      )
      const { check, modelsLearnt } = yield* own(baseUrl)
      const { code, stdout } = yield* check("--yes")
      assert.strictEqual(code, 0, stdout)
      assert.match(stdout, /^up\/m +✓ +✓ +\? no call +\? no call -reasoning_effort/m)
      const { protocol, rules } = modelsLearnt()["openai-compatible/m"]
      assert.deepStrictEqual(protocol, { outputLimit: "max_completion_tokens" })
      assert.deepStrictEqual(rules, [
        { when: ["tools", "effort"], do: "drop", field: "reasoning_effort", note: "learnt from a call" }
      ])
    }).pipe(Effect.scoped)
  )

  it.live(
    "leaves what gateway.yaml says a deployment supports, and learns nothing where deployments of a model differ",
    () =>
      Effect.gen(function* () {
        const noTools = yield* server((body) => (body.tools === undefined ? undefined : "no tools"))
        const all = yield* server(() => undefined)
        const settled = yield* own(noTools.baseUrl, ", supports: [chat, stream, tools]")
        const kept = yield* settled.checkHere("--yes")
        assert.strictEqual(kept.code, 1)
        assert.match(kept.stderr, /2 calls did not work\./)
        assert.deepStrictEqual(settled.modelsLearnt(), {})
        const at = (name: string, url: string) =>
          `${name}: { protocol: openai-chat, base_url: "${url}", api_key: none }`
        const two = yield* configured(
          `providers: { ${at("a", noTools.baseUrl)}, ${at("b", all.baseUrl)} }\ndeployments: [{ provider: a, model: m, ${priced} }, { provider: b, model: m, ${priced} }]`
        )
        const { stdout } = yield* two.checkHere("--yes")
        assert.match(stdout, /! a\/m and b\/m are openai-compatible\/m in the catalogue and differ/)
        assert.deepStrictEqual(two.modelsLearnt(), {})
      }).pipe(Effect.scoped)
  )

  it.live("asks first at a terminal, and calls nothing without a yes", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* server(() => undefined)
      const { check, checkHere, learnt } = yield* own(baseUrl)
      const posts = () => asked.filter(({ method }) => method === "POST").length
      const shown: Array<string> = []
      const typed = (line: string) =>
        Effect.provideService(checkHere(), Ask, (question) =>
          Effect.sync(() => {
            shown.push(question)
            return line
          })
        )
      const no = yield* typed("")
      assert.deepStrictEqual([no.code, posts()], [0, 0])
      assert.match(no.stdout, /Nothing was called\.\n$/)
      assert.match(shown.join(""), /One deployment gets up to 6 small requests, for at most 0\.05 USD in all\./)
      const unattended = yield* check()
      assert.strictEqual(unattended.code, 1)
      assert.match(unattended.stderr, /there is no terminal: add --yes\. Nothing was called\./)
      assert.deepStrictEqual([posts(), existsSync(learnt)], [0, false])
      assert.strictEqual((yield* typed("y")).code, 0)
      assert.strictEqual(posts(), 6)
    }).pipe(Effect.scoped)
  )

  it.live(
    "spends nothing where the limit is too small, no key is taken, no price is known, or the file can't be written",
    () =>
      Effect.gen(function* () {
        const { asked, baseUrl } = yield* server(() => undefined)
        const refusing = yield* upstream(() => ({ status: 401, body: {} }))
        const posts = () => [asked, refusing.asked].flat().filter(({ method }) => method === "POST").length
        const small = yield* (yield* own(baseUrl)).checkHere("--yes", "--max-usd", "0.000001")
        assert.deepStrictEqual([small.code, posts()], [1, 0])
        assert.match(small.stderr, /0\.000001 USD pay for no call/)
        const noKey = yield* (yield* own(refusing.baseUrl)).checkHere("--yes")
        assert.deepStrictEqual([noKey.code, posts()], [1, 0])
        assert.match(noKey.stderr, /No deployment can be called: no provider takes the key/)
        const unpriced = yield* configured(
          `providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }\ndeployments: [{ provider: up, model: m, context_window: 8000 }]`
        )
        const { code, stdout } = yield* unpriced.checkHere("--yes")
        assert.deepStrictEqual([code, posts()], [1, 0])
        assert.match(stdout, /– up\/m, plain: its price is unknown: give it a `price`/)
        const closed = yield* own(baseUrl)
        mkdirSync(`${closed.learnt}.new`)
        const unwritable = yield* closed.checkHere("--yes")
        assert.deepStrictEqual([unwritable.code, posts()], [1, 0])
        assert.match(unwritable.stderr, /catalogue\.learnt\.json can't be written: .*: nothing was called/)
      }).pipe(Effect.scoped)
  )

  it.live("refuses flags that do not go together, and a limit out of range", () =>
    Effect.gen(function* () {
      const { config } = yield* own("http://127.0.0.1:9/v1")
      for (const [args, said] of [
        [["--calls"], /--calls is a part of --live/],
        [["--live", "--yes"], /--yes confirms --calls/],
        [["--max-usd", "0.01"], /--max-usd limits what --calls may cost/],
        [["--live", "--calls", "--max-usd", "1"], /--max-usd must be more than 0 and at most 0\.05, got 1/]
      ] as const) {
        const { code, stderr } = yield* invoke(["check", "--config", config, ...args], env)
        assert.strictEqual(code, 2, stderr)
        assert.match(stderr, said)
      }
    }).pipe(Effect.scoped)
  )
})
