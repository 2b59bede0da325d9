/** A gateway before a provider that misbehaves, and one that does not. */
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, type Reply, upstream } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]
/** The operator's: nothing of it may ever be told. */
export const PROVIDER_KEY = "sk-operators-own-0123456789abcdef"

/** One deployment whose upstream always does the same, and another behind the alias `spared` that works. */
export const facing = Effect.fnUntraced(function* (reply: Reply | ((stream: boolean, number: number) => Reply)) {
  const bad = yield* upstream(({ body }, number) =>
    typeof reply === "function" ? reply(body.stream === true, number) : reply
  )
  const good = yield* upstream(({ body }) => ({
    body: body.stream === true ? completionEvents("spare") : completion("spare")
  }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  bad: { protocol: openai-chat, base_url: "${bad.baseUrl}", api_key: "${PROVIDER_KEY}" }
  good: { protocol: openai-chat, base_url: "${good.baseUrl}", api_key: none }
deployments:
  - { provider: bad, model: m, price: { input: 1, output: 2 }, context_window: 1000, timeouts: { first_token: 300ms, idle: 300ms, total: 1s } }
  - { provider: good, model: m, price: { input: 1, output: 2 }, context_window: 2000 }
  - { id: good/same, provider: good, model: m, price: { input: 1, output: 2 }, context_window: 1000 }
models: { spared: [bad/m, good/m], same: [bad/m, good/same] }
failover: { base_delay: 1ms }
`
  })
  const { secret } = yield* gateway.createKey()
  const chat = (fields: object = {}) =>
    call(gateway.url, { path: "/v1/chat/completions", key: secret, body: { model: "bad/m", messages, ...fields } })
  return { ...gateway, bad, good, chat }
})

/** As a whole and as a stream. */
export const both = [{ stream: false }, { stream: true }]
