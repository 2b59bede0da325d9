import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import { type ContentRule, walkContent } from "@model-gateway/protocol"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { Operation } from "../../../src/core/operations/Operation.ts"
import { allOperations } from "../../../src/core/operations/Operations.ts"
import { inputTokens } from "../../../src/core/responses/InputTokens.ts"
import { compaction } from "../../../src/core/responses/Compaction.ts"
import { notContent } from "./NotContent.ts"
import { sampleRequests } from "./SampleRequests.ts"

const CANARY = "canary-7f3a"

const operations = [...allOperations, compaction, inputTokens]

/** The path whose requests have the same body. */
const likePath = (path: string): string =>
  path
    .replace(/\/(?:count_tokens|compact|input_tokens)$/, "")
    .replace(/:(?:countTokens|streamGenerateContent)$/, ":generateContent")

const sampleOf = (path: string): JsonObject => sampleRequests[path] ?? sampleRequests[likePath(path)] ?? {}

/** The body as guardrails get it; undefined where it is refused. */
const asRead = ({ read, readAs }: Operation, body: unknown): unknown =>
  readAs === undefined
    ? body
    : Result.getOrUndefined(read({ kind: "json", value: body, bytes: 0, named: { model: "m", stream: false } }))?.body

const isFound = (body: unknown, rule: ContentRule): boolean => {
  let found = false
  const text = (one: string) => {
    found ||= one.includes(CANARY)
    return one
  }
  walkContent(body, rule, { text }, { role: "user" })
  return found
}

/** The body with the canary in one place: each string in turn, and each member's name. */
function* withCanary(value: unknown, path: string): Generator<readonly [path: string, body: unknown]> {
  if (typeof value === "string") {
    yield [path, value.startsWith("data:") ? `data:image/png;base64,${CANARY}` : CANARY]
    if (/^[{[]/.test(value)) {
      for (const [at, inner] of withCanary(JSON.parse(value), `${path}#`)) yield [at, JSON.stringify(inner)]
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const [at, inner] of withCanary(item, `${path}/*`)) yield [at, value.with(index, inner)]
    }
  } else if (typeof value === "object" && value !== null) {
    yield [`${path}/(a new name)`, { ...value, [CANARY]: 1 }]
    yield [`${path}/(a new field)`, { ...value, new_field: CANARY }]
    for (const [name, inner] of Object.entries(value)) {
      for (const [at, changed] of withCanary(inner, `${path}/${name}`)) yield [at, { ...value, [name]: changed }]
    }
  }
}

describe("the content view", () => {
  for (const operation of operations) {
    const { content, path } = operation
    it(`finds a canary in every string and member name of ${path} that is not listed`, () => {
      const sample = sampleOf(path)
      assert.isNotEmpty(Object.keys(sample), `no sample request for ${path}`)
      const missed = new Set<string>()
      for (const [at, body] of withCanary(sample, "")) {
        const seen = asRead(operation, body)
        if (seen !== undefined && !isFound(seen, content.request)) missed.add(at)
      }
      const listed = notContent[likePath(path)] ?? []
      assert.deepStrictEqual([...missed].toSorted(), [...listed].toSorted())
    })

    it(`leaves a request to ${path} without changes as it is`, () => {
      const sample = asRead(operation, sampleOf(path))
      assert.strictEqual(walkContent(sample, content.request, { text: (one) => one }, { role: "user" }), sample)
    })
  }

  it("reads documents and URLs that hold text where others hold base64", () => {
    const [chat, , messages] = operations
    const source = { type: "text", media_type: "text/plain", data: CANARY }
    const document = { messages: [{ role: "user", content: [{ type: "document", source }] }] }
    assert.isTrue(isFound(document, messages!.content.request))
    const file = { file_data: `a text with ${CANARY}` }
    assert.isTrue(isFound({ messages: [{ role: "user", content: [{ type: "file", file }] }] }, chat!.content.request))
    const image = { type: "image_url", image_url: { url: `data:text/plain,${CANARY}` } }
    assert.isTrue(isFound({ messages: [{ role: "user", content: [image] }] }, chat!.content.request))
  })

  it("exists for every documented path under /v1 that takes a body", () => {
    const document = JSON.parse(
      readFileSync(new URL("../../../../protocol/openapi.json", import.meta.url), "utf8")
    ) as {
      readonly paths: { readonly [path: string]: { readonly [method: string]: JsonObject } }
    }
    // A score is a number.
    const noContent = new Set(["/v1/receipts/{id}/feedback"])
    const withBody = Object.entries(document.paths).flatMap(([path, methods]) =>
      path.startsWith("/v1/") && Object.values(methods).some((one) => "requestBody" in one) ? [path] : []
    )
    const viewed = new Set(operations.map(({ path }) => path))
    assert.deepStrictEqual(
      withBody.filter((path) => !viewed.has(likePath(path)) && !noContent.has(path)),
      []
    )
  })

  it("returns a copy with the changed texts, also inside JSON arguments", () => {
    const rule = operations[0]!.content.request
    const body = { messages: [{ role: "assistant", tool_calls: [{ function: { arguments: '{"a":"b\\u0040c"}' } }] }] }
    const changed = walkContent(body, rule, { text: (one) => one.replace("b@c", "x") }, { role: "user" })
    assert.deepStrictEqual(changed.messages[0]?.tool_calls[0]?.function.arguments, '{"a":"x"}')
  })

  it("visits a number that is long enough to be a card's", () => {
    const rule = operations[0]!.content.request
    const seen: Array<string> = []
    const text = (one: string) => (seen.push(one), one)
    walkContent({ messages: [], a: 4111111111111111, b: 5 }, rule, { text }, { role: "user" })
    assert.include(seen, "4111111111111111")
    assert.notInclude(seen, "5")
  })
})
