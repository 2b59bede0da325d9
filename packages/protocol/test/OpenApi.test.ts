import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openApiJson } from "@model-gateway/protocol"
import { Ajv2020 } from "ajv/dist/2020.js"
import { anthropicError, googleError } from "../src/Documented.ts"

const folder = join(import.meta.dirname, "..")
const read = (name: string): string => readFileSync(join(folder, name), "utf8")

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly operationId: string
  readonly security: ReadonlyArray<Record<string, unknown>>
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly schema: { readonly description?: string } }>
  readonly responses: Record<string, { readonly headers?: object; readonly content?: object }>
}

// oxlint-disable-next-line typescript/no-explicit-any -- JSON, of which each test reads its part
const document: any = JSON.parse(openApiJson())
const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const)
)

describe("openapi.json", () => {
  it("is what the description says: after a change run `npm run openapi`", () => {
    assert.strictEqual(read("openapi.json"), openApiJson())
  })

  it("has the version of the package", () => {
    assert.strictEqual(document.info.version, JSON.parse(read("package.json")).version)
    assert.match(document.openapi, /^3\.1\./)
  })

  it("says of every operation what it does, and how it fails", () => {
    for (const [name, operation] of operations) {
      assert.isAbove(operation.summary?.length ?? 0, 5, name)
      assert.isAbove(operation.description?.length ?? 0, 10, name)
      if (name.includes("/v1/") || name.includes("/admin/")) {
        for (const status of ["401", "403", "500", "503"]) assert.property(operation.responses, status, name)
      }
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        const googles = /:(?:\w*[gG]enerateContent|countTokens)$/.test(name) ? googleError : undefined
        const schema = name.includes("/v1/messages")
          ? anthropicError
          : (googles ?? { $ref: "#/components/schemas/Error" })
        assert.deepStrictEqual(content, { "application/json": { schema } }, `${name} ${status}`)
      }
    }
    assert.strictEqual(new Set(operations.map(([, { operationId }]) => operationId)).size, operations.length)
  })

  it("asks for the master key under /admin, a virtual key under /v1, and for none elsewhere", () => {
    for (const [name, { security }] of operations) {
      const schemes = security.flatMap((requirement) => Object.keys(requirement))
      // The body of the one that opens a session holds the master key. Nobody has a credential before signing in.
      if (name === "post /admin/session" || name.includes("/admin/sign-in")) assert.deepStrictEqual(schemes, [], name)
      else if (name.includes("/admin/"))
        assert.deepStrictEqual(schemes, ["master_key", "service_token", "sign_in", "session"], name)
      else if (name.includes("/v1/"))
        assert.deepStrictEqual(schemes, ["virtual_key", "x_api_key", "api_key", "x_goog_api_key"])
      else assert.deepStrictEqual(schemes, [], name)
    }
  })

  it("describes every parameter", () => {
    for (const [name, { parameters }] of operations) {
      for (const parameter of parameters) assert.isString(parameter.schema.description, `${name} ${parameter.name}`)
    }
  })

  it("promises the five headers on a chat answer, streamed or not", () => {
    const success = document.paths["/v1/chat/completions"].post.responses["200"]
    assert.hasAllKeys(success.content, ["application/json", "text/event-stream"])
    for (const [name, type] of Object.entries({
      "x-gateway-decision": "string",
      "x-gateway-route-bucket": "string",
      "x-gateway-route-score": "number",
      "x-gateway-cost-usd": "number",
      "x-gateway-retries": "integer"
    })) {
      assert.isTrue(success.headers[name].required, name)
      assert.strictEqual(success.headers[name].schema.type, type, name)
    }
  })

  it("is closed where unknown fields are refused, and open where new ones may come", () => {
    const { schemas } = document.components
    for (const name of ["CreateKey", "UpdateKey", "RotateKey", "PutTeam", "DeploymentSelection", "BudgetInput"]) {
      assert.strictEqual(schemas[name].additionalProperties, false, name)
    }
    for (const name of ["Key", "Team", "Deployment", "SpendReport", "Error", "Model"]) {
      assert.notStrictEqual(schemas[name].additionalProperties, false, name)
    }
    assert.notStrictEqual(schemas.ChatRequest.additionalProperties, false)
  })

  it("has no component twice, and every example is one", () => {
    const { schemas } = document.components
    const ajv = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp: true })
    ajv.addSchema(document, "document")
    for (const [name, schema] of Object.entries<{ examples?: ReadonlyArray<unknown> }>(schemas)) {
      assert.notMatch(name, /_\d+$/)
      const validate = ajv.getSchema(`document#/components/schemas/${name}`)
      assert.isDefined(validate, name)
      for (const example of schema.examples ?? []) {
        assert.isTrue(validate?.(example), `${name}: ${ajv.errorsText(validate?.errors)}`)
      }
    }
  })
})
