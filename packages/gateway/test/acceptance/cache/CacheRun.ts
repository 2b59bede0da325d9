/** A gateway with the cache on, before a provider whose responses are numbered. */
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { type GatewayOptions, startGateway } from "../../support/RunningGateway.ts"
import {
  type Asked,
  completion,
  completionEvents,
  type Reply,
  type Upstream,
  upstream
} from "../../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]

type NumberedReply = (asked: Asked, number: number) => Reply | undefined

/** `reply`: in the place of a completion with the number of the request. */
export const numbered = (reply?: NumberedReply) =>
  upstream((asked, number) => {
    const own = reply?.(asked, number)
    if (own !== undefined) return own
    const id = { id: `chatcmpl-upstream${number}` }
    return {
      body:
        asked.body.stream === true
          ? completionEvents(`number ${number}`, " end").map((one) => one.replace(/"id":"[^"]+"/, `"id":"${id.id}"`))
          : completion(`number ${number}`, id)
    }
  })

/** `provider`: that of an earlier gateway. */
export const cachingGateway = Effect.fnUntraced(function* ({
  cache = "{ mode: on }",
  more = "",
  provider,
  reply,
  ...options
}: {
  readonly cache?: string
  readonly more?: string
  readonly provider?: Upstream
  readonly reply?: NumberedReply
} & GatewayOptions = {}) {
  const { asked, baseUrl } = provider ?? (yield* numbered(reply))
  const gateway = yield* startGateway({
    ...options,
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }, other: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 } }
  - { provider: up, model: n, price: { input: 1, output: 2 } }
  - { provider: other, model: m, price: { input: 1, output: 2 } }
cache: ${cache}
${more}
`
  })
  const { id, secret } = yield* gateway.createKey()
  /** `headers` may name another key. */
  const chat = (fields: object = {}, headers: Readonly<Record<string, string>> = {}, key = secret) =>
    call(gateway.url, { path: "/v1/chat/completions", key, headers, body: { model: "up/m", messages, ...fields } })
  return { ...gateway, asked, baseUrl, id, secret, chat }
})
