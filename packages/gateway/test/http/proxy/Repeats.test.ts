import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { FormBody, Upload } from "../../../src/core/operations/RequestBody.ts"
import { HashedRequest } from "../../../src/http/proxy/Repeats.ts"
import { MemoryReply, MemoryRequest } from "../../../src/testing/MemoryWire.ts"

/** A file that comes in pieces of `step` bytes. */
const file = (text: string, step: number, fields: Partial<Upload> = {}): Upload => ({
  field: "file",
  filename: "a.wav",
  contentType: "audio/wav",
  size: text.length,
  head: Buffer.from(text),
  pieces: async function* () {
    for (let at = 0; at < text.length; at += step) yield Buffer.from(text.slice(at, at + step))
  },
  ...fields
})

const form = (files: ReadonlyArray<Upload>, fields: object = { model: "m" }): FormBody => ({
  kind: "form",
  fields: { ...fields },
  files,
  bytes: 1
})

const requestOf = (body: unknown) =>
  new HashedRequest(new MemoryRequest({ method: "POST", path: "/v1/x", body }, new MemoryReply(), {}, "req_1"))

const hashOf = (body: FormBody) => requestOf("").hash(body)

describe("the hash of a body", () => {
  it.effect("of a form is that of its parts, however they came", () =>
    Effect.gen(function* () {
      const one = yield* hashOf(form([file("a sound", 2), file("another", 7)]))
      assert.strictEqual(yield* hashOf(form([file("a sound", 3), file("another", 1)])), one)
      const others = [
        form([file("a sounD", 2), file("another", 7)]),
        form([file("another", 7), file("a sound", 2)]),
        form([file("a sound", 2)]),
        form([file("a sound", 2), file("another", 7)], { model: "n" }),
        form([file("a sound", 2, { filename: "b.wav" }), file("another", 7)]),
        form([file("a sounda", 2), file("nother", 7)])
      ]
      const hashes = yield* Effect.forEach(others, hashOf)
      assert.strictEqual(new Set([one, ...hashes]).size, others.length + 1)
    })
  )

  it.effect("of JSON is that of its bytes", () =>
    Effect.gen(function* () {
      const hashes = yield* Effect.forEach(['{"a":1}', '{"a":1}', '{"a": 1}', "x".repeat(3_000_000)], (text) => {
        const request = requestOf(text)
        return Effect.flatMap(request.bytes(10_000_000), ({ length }) =>
          request.hash({ kind: "json", value: {}, bytes: length })
        )
      })
      assert.strictEqual(hashes[0], hashes[1])
      assert.strictEqual(new Set(hashes).size, 3)
    })
  )
})
