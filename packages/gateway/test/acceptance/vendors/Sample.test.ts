/** The vendor that CONTRIBUTING shows: it is read there, and called. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Vendor } from "../../../src/core/pool/Vendor.ts"
import { compatible } from "../../../src/providers/vendors/CompatibleVendors.ts"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, upstream } from "../../support/Upstream.ts"

const guide = readFileSync(join(import.meta.dirname, "../../../../../CONTRIBUTING.md"), "utf8")
const [, shown = ""] = /^## Adding a vendor$[^]*?^```ts\n([^]*?)^```$/m.exec(guide) ?? []

/** What the file of the sample exports. It is plain JavaScript. */
const sample = (): Vendor => new Function("compatible", `${shown.replace("export const Acme =", "return")}`)(compatible)

describe("the vendor in CONTRIBUTING", () => {
  it("has ten lines at most", () => {
    assert.isAtMost(shown.trim().split("\n").length, 10)
  })

  it.live("is called at its address with its key, and its families hold", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream(() => ({ body: completion("Hello") }))
      const gateway = yield* startGateway({
        yaml: `
providers: { acme: { api_key: k3y, base_url: "${baseUrl}" } }
deployments: [{ provider: acme, model: small-1, price: { input: 1, output: 2 } }, acme/embed-1]
`,
        more: { vendors: [sample()] }
      })
      const { secret } = yield* gateway.createKey()
      const messages = [{ role: "user", content: "Hi" }]
      const ask = (fields: object) =>
        call(gateway.url, {
          path: "/v1/chat/completions",
          key: secret,
          body: { model: "acme/small-1", messages, ...fields }
        })
      const answer = yield* ask({ max_tokens: 10 })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepInclude(asked[0]?.headers, { authorization: "Bearer k3y" })
      const beyond = yield* ask({ tools: [{ type: "function", function: { name: "f" } }] })
      assert.strictEqual(beyond.status, 400)
      const models = yield* call(gateway.url, { method: "GET", path: "/v1/models/acme/small-1", key: secret })
      assert.deepInclude(models.json.gateway, { context_window: 8_192, max_output_tokens: 2_048 })
    }).pipe(Effect.scoped)
  )

  it("without its variable is told of it", () => {
    assert.deepInclude(sample(), {
      name: "acme",
      baseUrl: "https://api.acme.example/v1",
      apiKeyVariable: "ACME_API_KEY"
    })
  })
})
