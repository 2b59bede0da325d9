/** What the gateway left out or changed for a deployment is in the receipt and in the log, not only in the response. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

describe("fields that were left out or changed", () => {
  for (const stream of [false, true]) {
    it.live(`are in the receipt of a ${stream ? "streamed" : "complete"} response, under the names of its header`, () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* upstream(() => ({ body: stream ? completionEvents("ok") : completion("ok") }))
        const gateway = yield* startGateway({
          yaml: `
providers: { openai: { base_url: "${baseUrl}", api_key: k } }
deployments: [openai/gpt-5]
`
        })
        const { secret } = yield* gateway.createKey()
        const messages = [{ role: "user", content: "Hi" }]
        const send = (fields: object) =>
          call(gateway.url, {
            path: "/v1/chat/completions",
            key: secret,
            body: { model: "openai/gpt-5", messages, stream, ...fields }
          })
        const adaptedOf = Effect.fnUntraced(function* (fields: object) {
          const { headers } = yield* send(fields)
          const { json } = yield* call(gateway.url, {
            method: "GET",
            path: `/v1/receipts/${String(headers["x-gateway-receipt-id"])}`,
            key: secret
          })
          return [headers["x-gateway-dropped-params"], json.attempts[0].adapted]
        })
        assert.deepStrictEqual(yield* adaptedOf({ temperature: 0.2 }), ["temperature", ["temperature"]])
        assert.deepStrictEqual(yield* adaptedOf({}), [undefined, undefined])
      }).pipe(Effect.scoped)
    )
  }
})
