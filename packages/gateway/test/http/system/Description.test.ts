import { assert, describe, it } from "@effect/vitest"
import {
  ChatCompletion,
  ChatCompletionChunk,
  ErrorBody,
  MAX_BUDGET_USD,
  Model,
  ModelList,
  openApiJson,
  OwnKey,
  ServedApi
} from "@model-gateway/protocol"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import * as Money from "../../../src/core/domain/Money.ts"
import { TestGateway } from "../../../src/testing/TestGateway.ts"
import { eventsOf } from "../../support/RawHttp.ts"
import { conforms, startAdmin } from "../AdminClient.ts"

const operations: ReadonlyArray<readonly [method: string, path: string]> = Object.entries(
  JSON.parse(openApiJson()).paths as Record<string, object>
).flatMap(([path, methods]) => Object.keys(methods).map((method) => [method.toUpperCase(), path] as const))

describe("the description", () => {
  it.effect("describes nothing that is not served", () =>
    Effect.gen(function* () {
      const { bare, send } = yield* startAdmin
      assert.isAtLeast(operations.length, 19)
      for (const [method, path] of operations) {
        // An answer that does not end needs none to show that it is served.
        const answer = yield* (path.endsWith("/stream") ? bare : send)(method, path.replace(/\{\w+\}/g, "x"))
        const isUnknownPath = answer.status === 404 && /nothing at/.test(answer.json.error.message)
        assert.isFalse(isUnknownPath || answer.status === 405, `${method} ${path}: ${answer.text}`)
      }
    })
  )

  it.effect("misses no handler that is made from it, and no proxy endpoint", () =>
    Effect.gen(function* () {
      const described = new Set(operations.map(([method, path]) => `${method} ${path}`))
      const served: Array<string> = []
      HttpApi.reflect(ServedApi, {
        onGroup: () => {},
        onEndpoint: ({ endpoint }) => served.push(`${endpoint.method} ${endpoint.path.replace(/:(\w+)/g, "{$1}")}`)
      })
      for (const one of served) assert.isTrue(described.has(one), one)
      const { createKey, send } = yield* TestGateway
      const authorization = `Bearer ${yield* createKey()}`
      const answers = yield* Effect.forEach(operations, ([method, path]) =>
        send({ method, path, headers: { authorization } })
      )
      const proxied = answers.filter(({ body, status }) => status !== 405 && !/nothing at/.test(JSON.stringify(body)))
      assert.strictEqual(served.length + proxied.length, operations.length)
    }).pipe(Effect.provide(TestGateway.layer({ deployments: ["openai/gpt-5-mini"], scripts: {} })))
  )

  it.effect("holds for the answers of the proxy, which are not made from it", () =>
    Effect.gen(function* () {
      const { createKey, send } = yield* startAdmin
      yield* send("PUT", "/admin/teams/t", { budget_usd: 5 })
      const { key } = yield* createKey({ team: "t", limits: { rpm: 100 }, budget_usd: 1, tags: ["x"] })
      const get = (path: string) => Effect.map(send("GET", path, undefined, { key }), ({ json }) => json)
      conforms(OwnKey, yield* get("/v1/key"))
      const list = yield* get("/v1/models")
      assert.isAbove(list.data.length, 1)
      conforms(ModelList, list)
      conforms(Model, yield* get("/v1/models/auto"))
      conforms(ErrorBody, yield* get("/v1/models/nobody"))
      const ask = (stream: boolean) =>
        send(
          "POST",
          "/v1/chat/completions",
          { model: "auto", stream, messages: [{ role: "user", content: "Hi" }] },
          { key }
        )
      conforms(ChatCompletion, (yield* ask(false)).json)
      const events = eventsOf((yield* ask(true)).text)
      assert.isAbove(events.length, 2)
      for (const event of events.filter((one) => one !== "[DONE]")) conforms(ChatCompletionChunk, event)
    })
  )

  it("and the rules agree on the largest budget", () => {
    assert.strictEqual(MAX_BUDGET_USD, Money.MAX_BUDGET_USD)
  })
})
