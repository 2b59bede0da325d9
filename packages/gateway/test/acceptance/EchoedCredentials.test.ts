/** Providers, and proxies in front of them, repeat in an error what they were sent. A caller must not read our credentials there. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { masterKey, startGateway } from "../support/RunningGateway.ts"
import { type Asked, type Reply, upstream } from "../support/Upstream.ts"

/** Keys of Cohere and Mistral look like nothing in particular. */
const KEY = "q8Zr4LmT2vXw9NbC7kYp5HsD"
const TOKEN = "IQoJb3JpZ2luX2VjEHsaCXVzLWVhc3Qt/temporary+token=="

const providers = {
  openai: "protocol: openai-chat",
  anthropic: "protocol: anthropic-messages",
  mistral: "protocol: mistral-chat",
  cohere: "protocol: cohere-v2",
  gemini: "protocol: gemini",
  ollama: "protocol: ollama-chat",
  bedrock: "vendor: bedrock, region: us-east-1"
}

/** In all the places where errors stand: `error`, `message`, `detail`. */
const echo =
  (status: number) =>
  ({ headers }: Asked): Reply => {
    const message = `you sent ${JSON.stringify(headers)}`
    const error = {
      message,
      type: headers["authorization"] ?? headers["x-api-key"],
      code: KEY,
      status: KEY,
      param: KEY
    }
    return {
      status,
      headers: { "x-amzn-errortype": "ValidationException" },
      body: { type: "error", message, error, detail: message }
    }
  }

/** So long that a key stands wherever it is cut. */
const longEcho = ({ headers }: Asked): Reply => {
  const message = `${"x".repeat(1_900)}${KEY.repeat(100)}${JSON.stringify(headers)}`
  return { status: 400, body: { type: "error", message, error: { message }, detail: message } }
}

const echoes = [
  ...[200, 400, 401, 403, 404, 429, 500].map((status) => [String(status), echo(status)] as const),
  ["400, and far too long", longEcho] as const
]

describe("an error that repeats what was sent", () => {
  for (const [title, reply] of echoes) {
    it.live(`shows no credential to anybody: ${title}`, () =>
      Effect.gen(function* () {
        const { asked, baseUrl } = yield* upstream(reply)
        const gateway = yield* startGateway({
          yaml: `
providers:
${Object.entries(providers)
  .map(([name, fields]) => `  ${name}: { ${fields}, base_url: "${baseUrl}", api_key: "${KEY}" }`)
  .join("\n")}
  signed: { vendor: bedrock, region: us-east-1, base_url: "${baseUrl}", access_key_id: AKIDEXAMPLE, secret_access_key: "${KEY}", session_token: "${TOKEN}" }
deployments:
${[...Object.keys(providers), "signed"].map((name) => `  - { provider: ${name}, model: m, price: { input: 1, output: 2 } }`).join("\n")}
failover: { attempts: 1, base_delay: 1ms }
`
        })
        const { secret } = yield* gateway.createKey()
        let all = ""
        for (const name of [...Object.keys(providers), "signed"]) {
          for (const stream of [false, true]) {
            const before = asked.length
            const messages = [{ role: "user", content: "Hi" }]
            const { text } = yield* call(gateway.url, {
              path: "/v1/chat/completions",
              key: secret,
              body: { model: `${name}/m`, messages, stream }
            })
            assert.isAbove(asked.length, before, name)
            for (const credential of [KEY, TOKEN]) assert.notInclude(text, credential.slice(0, 6), `${name} ${stream}`)
            all += text
          }
        }
        for (const path of ["/admin/requests", "/admin/deployments", "/admin/config"]) {
          all += (yield* call(gateway.url, { method: "GET", path, key: masterKey })).text
        }
        for (const credential of [KEY, TOKEN]) assert.notInclude(all, credential)
      })
    )
  }
})
