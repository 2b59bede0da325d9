/** Every operation under a policy: what it must not send is found wherever its request can hold it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "../../src/core/domain/Json.ts"
import { allOperations } from "../../src/core/operations/Operations.ts"
import { Script } from "../../src/testing/Script.ts"
import { TestGateway } from "../../src/testing/TestGateway.ts"
import { sampleRequests } from "../core/content/SampleRequests.ts"

const KEY = `ghp_${"aB3".repeat(12)}`
const EMAIL = "bob@example.com"

const layer = TestGateway.layer({
  deployments: ["openai/gpt-5-mini"],
  models: { m: "openai/gpt-5-mini" },
  guardrails: {
    checks: { secrets: { kind: "secrets", action: "deny" }, pii: { kind: "pii", action: "mask" } },
    policies: { strict: { request: ["secrets", "pii"], response: ["secrets", "pii"] } },
    always: ["strict"]
  },
  scripts: { openai: [Script.raw({ body: JSON.stringify({ text: `call ${EMAIL}`, data: [], created: 1 }) })] }
})

/** Without what only a stored response has. */
const sampleOf = (path: string): JsonObject => {
  const { previous_response_id: _, ...sample } =
    sampleRequests[path.replace("/count_tokens", "").replace(":countTokens", ":generateContent")] ?? {}
  return sample
}

const formOf = (fields: JsonObject): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value))
  form.append("file", new Blob(["sound"]), "a.mp3")
  form.append("image", new Blob(["image"]), "a.png")
  return form
}

const postTo = (path: string, isForm: boolean, fields: JsonObject) =>
  Effect.gen(function* () {
    const gateway = yield* TestGateway
    const secret = yield* gateway.createKey()
    const body = isForm ? formOf(fields) : JSON.stringify(fields)
    const headers = { authorization: `Bearer ${secret}`, ...(isForm ? {} : { "content-type": "application/json" }) }
    const response = yield* Effect.promise(() =>
      gateway.fetch(`http://gateway${path.replace("{model}", "m")}`, { method: "POST", headers, body })
    )
    return { status: response.status, text: yield* Effect.promise(() => response.text()) }
  })

describe("guardrails of every operation", () => {
  for (const { accepts, path } of allOperations) {
    const isForm = accepts === "form"

    it.effect(`deny a secret in an unknown field of ${path}`, () =>
      Effect.gen(function* () {
        const { status, text } = yield* postTo(path, isForm, { ...sampleOf(path), new_field: `is ${KEY}` })
        assert.strictEqual(status, 400, text)
        assert.include(text, "The guardrail `secrets` denied this request")
        assert.deepStrictEqual(yield* (yield* Script).requests, [])
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("mask a transcript, as JSON and as text", () =>
    Effect.gen(function* () {
      for (const format of ["json", "text"]) {
        const fields = { model: "m", response_format: format }
        const { text } = yield* postTo("/v1/audio/transcriptions", true, fields)
        assert.notInclude(text, EMAIL)
      }
    }).pipe(Effect.provide(layer))
  )
})
