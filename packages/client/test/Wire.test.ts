/** The types of requests and answers are made from the API's description; what is written by hand is held against it here. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { RateLimitError } from "../src/index.ts"
import { calls } from "./conformance/Operations.ts"
import { gateway, hello } from "./support/Servers.ts"

const { operations, schemas } = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "..", "conformance", "wire.json"), "utf8")
)

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const fieldsOf = (schema: string): ReadonlyArray<string> => Object.keys(schemas[schema].fields).map(camel)

it("there is a call for every operation", () => {
  assert.sameMembers(Object.keys(calls), Object.keys(operations))
})

it("a decision has every field of the gateway's", async () => {
  const { gateway: decision } = await gateway().chat.completions.create(hello)
  assert.includeMembers(Object.keys(decision ?? {}), [...fieldsOf("GatewayInfo")])
})

it("an error has every field of the body's", () => {
  assert.includeMembers([...Object.keys(new RateLimitError("slow down", {})), "message"], [...fieldsOf("Error.error")])
})

it("every header that may be sent has its option", async () => {
  const known = [
    "x-gateway-strict",
    "x-gateway-stream-recovery",
    "x-gateway-no-fallback",
    "x-gateway-route-prefer",
    "x-gateway-session-id",
    "x-gateway-end-user",
    "x-gateway-guardrails",
    "x-gateway-tags",
    "x-gateway-content",
    "x-gateway-cache",
    "cache-control",
    "idempotency-key",
    "x-request-id"
  ]
  for (const { headers } of Object.values(operations) as ReadonlyArray<{ readonly headers: ReadonlyArray<string> }>) {
    assert.includeMembers(known, [...headers])
  }
})
