import { assert, describe, it } from "@effect/vitest"
import { z } from "zod"
import { ConfigurationError, InvalidAnswerError } from "../src/index.ts"
import { failure, gateway, scripted } from "./support/Servers.ts"

const messages = [{ role: "user", content: "Add 23 and 7" }]

describe("parse", () => {
  it("asks for the schema of Zod, and gives its type", async () => {
    const schema = z.object({ left: z.number(), right: z.number() })
    const answer = await gateway().chat.completions.parse({ model: "demo/standard", messages, schema })
    const sum: { left: number; right: number } | null = answer.parsed
    assert.strictEqual(typeof sum?.left, "number")
    assert.strictEqual(answer.gateway?.deployment, "demo/standard")
  })

  it("an answer that does not fit is an error that says where", async () => {
    const schema = z.object({ left: z.object({ deep: z.string().refine(() => false, "never right") }) })
    const error = await failure(gateway().chat.completions.parse({ model: "demo/standard", messages, schema }))
    assert.instanceOf(error, InvalidAnswerError)
    assert.match((error as Error).message, /left\.deep: never right/)
  })

  it("an answer that was cut off at the limit says so", async () => {
    const schema = z.object({ left: z.string() })
    const error = await failure(
      gateway().chat.completions.parse({ model: "demo/standard", messages, schema, max_completion_tokens: 2 })
    )
    assert.match((error as Error).message, /cut off at the output limit/)
  })

  it("an answer in prose is an error", async () => {
    const asked = scripted("ok").chat.completions.parse({
      model: "m",
      messages,
      response_format: { type: "json_object" }
    })
    assert.match(((await failure(asked)) as Error).message, /no JSON/)
  })

  it("without a schema nothing is asked", () => {
    assert.throws(
      () => gateway().chat.completions.parse({ model: "m", messages }),
      ConfigurationError,
      "response_format"
    )
  })
})
