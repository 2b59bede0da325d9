/** A key with limits or budgets in front of an upstream whose answers all cost the same: 20,000 nano-USD. */
import { Effect } from "effect"
import type { NewKey } from "../../src/core/keys/NewKey.ts"
import { eventually } from "../support/Patience.ts"
import { call, open } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]

/** A gateway with a key, and its upstream: `up/m` answers, `up/hang` streams a word and then says nothing. 1 and 2 USD per million. */
export const withKey = Effect.fnUntraced(function* (key: NewKey) {
  const { asked, baseUrl } = yield* upstream(({ body }) =>
    body.model === "hang"
      ? { body: completionEvents("one").slice(0, 2), ending: "silence" }
      : { body: body.stream === true ? completionEvents("one") : completion("one") }
  )
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }
  - { provider: up, model: hang, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }
`
  })
  const { id, secret } = yield* gateway.createKey(key)
  const request = (fields: object) => ({
    path: "/v1/chat/completions",
    key: secret,
    body: { model: "up/m", messages, max_tokens: 100, ...fields }
  })
  return {
    ...gateway,
    asked,
    id,
    chat: (fields: object = {}) => call(gateway.url, request(fields)),
    openStream: (fields: object = {}) => open(gateway.url, request({ model: "up/hang", stream: true, ...fields })),
    own: call(gateway.url, { method: "GET", path: "/v1/key", key: secret })
  }
})

/** Until a request is admitted again. */
export const admittedSoon = <A extends { readonly status: number }>(chat: () => Effect.Effect<A>) =>
  eventually(Effect.suspend(chat), ({ status }) => status === 200)
