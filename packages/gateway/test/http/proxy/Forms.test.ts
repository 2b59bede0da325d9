/** Forms with files: what is read of them, what is refused, and that nothing of them stays on the disk. */
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Scope } from "effect"
import type { FormBody, Upload } from "../../../src/core/operations/RequestBody.ts"
import { NodeReply } from "../../../src/http/node/NodeReply.ts"
import { LastingResponse } from "../../../src/http/node/LastingResponse.ts"
import { NodeRequest } from "../../../src/http/node/NodeRequest.ts"
import { HeldBytes, SharedCapacity } from "../../../src/core/limits/BytesInFlight.ts"
import { TemporaryDisk } from "../../../src/http/proxy/form/HeldFile.ts"
import { readForm } from "../../../src/http/proxy/form/ReadForm.ts"
import { replyError } from "../../../src/http/proxy/Reply.ts"
import type { EndpointError } from "../../../src/http/errors/WireError.ts"
import { formBody } from "../../../src/providers/transport/FormBody.ts"
import { seeded } from "../../core/call/Support.ts"
import { uploadsOnDisk } from "../../support/Uploads.ts"

const MB = 2 ** 20

/** Bytes that hold line breaks and dashes more often than chance would. */
const noise = (length: number, seed: number): Buffer => {
  const chance = seeded(seed)
  return Buffer.from(
    Uint8Array.from({ length }, () => (chance.below(3) === 0 ? chance.pick([13, 10, 45]) : chance.below(256)))
  )
}

const uploaded = (field: string, bytes: Buffer, filename = "a.wav"): Upload => ({
  field,
  filename,
  contentType: "audio/wav",
  size: bytes.length,
  head: bytes.subarray(0, 64 * 1024),
  async *pieces() {
    yield bytes
  }
})

const allOf = async (body: { readonly pieces: () => AsyncIterable<Uint8Array> }): Promise<Buffer> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of body.pieces()) pieces.push(piece)
  return Buffer.concat(pieces)
}

interface Given {
  readonly type?: string
  readonly pieces: ReadonlyArray<Uint8Array>
  readonly headers?: { readonly [name: string]: string }
}

const unbounded = () => new HeldBytes(new SharedCapacity(Number.MAX_SAFE_INTEGER), "key_a")

/** Reads a form that arrives in these pieces. */
const read = ({ headers, pieces, type }: Given): Effect.Effect<FormBody, EndpointError, Scope.Scope> =>
  readForm(
    {
      headers: { ...(type === undefined ? {} : { "content-type": type }), ...headers },
      pieces: (_, take) => Effect.forEach(pieces, take, { discard: true })
    },
    200 * MB,
    unbounded()
  )

const cut = (bytes: Buffer, sizes: () => number): ReadonlyArray<Buffer> => {
  const pieces: Array<Buffer> = []
  for (let at = 0; at < bytes.length;) {
    const size = sizes()
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

const text = (parts: ReadonlyArray<string>, end = "--B--\r\n") =>
  Buffer.from(`${parts.map((part) => `--B\r\n${part}\r\n`).join("")}${end}`)
const field = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`
const B = "multipart/form-data; boundary=B"

describe("a form", () => {
  it.live("arrives as it was written, however it is cut, with small files in memory and large ones on the disk", () =>
    Effect.gen(function* () {
      const chance = seeded(11)
      for (const [size, held] of [
        [0, 0],
        [70_000, 0],
        [MB + 1, 1],
        [3 * MB, 1]
      ] as const) {
        const bytes = noise(size, size + 1)
        const small = noise(1_000, 5)
        const fields = { model: "whisper-1", timestamp_granularities: ["word", "segment"], prompt: 'A "ü"\r\n--B' }
        const { form, headers } = formBody(fields, [
          uploaded("file", bytes, 'Tür "1".wav'),
          uploaded("image", small),
          uploaded("image", small)
        ])
        const sent = yield* Effect.promise(() => allOf(form))
        assert.strictEqual(sent.length, form.length)
        for (const most of [7, 70_000]) {
          if (size > 100_000 && most === 7) continue
          yield* Effect.scoped(
            Effect.gen(function* () {
              const got = yield* read({
                type: headers["content-type"]!,
                pieces: cut(sent, () => 1 + chance.below(most))
              })
              assert.deepStrictEqual(got.fields, fields)
              assert.strictEqual(got.bytes, sent.length)
              const [file, ...images] = got.files
              assert.deepInclude(file, { field: "file", contentType: "audio/wav", size })
              assert.strictEqual(file!.filename, "Tür %221%22.wav")
              assert.isTrue(bytes.subarray(0, 64 * 1024).equals(file!.head))
              assert.strictEqual(uploadsOnDisk().length, process.platform === "linux" ? held : 0)
              // Twice, as for a second provider, and both at once.
              const both = [allOf(file!), allOf(file!)]
              for (const one of yield* Effect.promise(() => Promise.all(both))) assert.isTrue(bytes.equals(one))
              assert.deepStrictEqual(
                images.map(({ field }) => field),
                ["image", "image"]
              )
              for (const image of images) assert.isTrue(small.equals(yield* Effect.promise(() => allOf(image))))
            })
          )
          assert.deepStrictEqual(uploadsOnDisk(), [])
        }
      }
    })
  )

  it.live("is what other software reads: undici's own parser", () =>
    Effect.gen(function* () {
      const bytes = noise(100_000, 3)
      const { form, headers } = formBody({ model: "m", n: 2, include: ["logprobs"], absent: undefined }, [
        uploaded("file", bytes, "größe.wav")
      ])
      const body = new Uint8Array(yield* Effect.promise(() => allOf(form)))
      const data = yield* Effect.promise(() => new Response(body, { headers }).formData())
      assert.deepStrictEqual([...data.keys()], ["model", "n", "include[]", "file"])
      assert.strictEqual(data.get("n"), "2")
      const file = data.get("file")
      assert.isTrue(file instanceof File && file.name === "größe.wav" && file.type === "audio/wav")
      if (file instanceof File)
        assert.isTrue(bytes.equals(Buffer.from(yield* Effect.promise(() => file.arrayBuffer()))))
    })
  )

  it.live("that is broken is refused with what is wrong, and nothing stays on the disk", () =>
    Effect.gen(function* () {
      const file = `Content-Disposition: form-data; name="file"; filename="a"\r\n\r\n${"x".repeat(2 * MB)}`
      const cases: ReadonlyArray<readonly [Given, string, string]> = [
        [{ pieces: [] }, "UnsupportedMediaType", "the body must be multipart/form-data, there is no Content-Type"],
        [{ type: "application/json", pieces: [] }, "UnsupportedMediaType", "not `application/json`"],
        [{ type: B, pieces: [text([])], headers: { "content-encoding": "gzip" } }, "UnsupportedMediaType", "gzip"],
        [{ type: "multipart/form-data", pieces: [] }, "InvalidForm", "the Content-Type has no boundary"],
        [{ type: "multipart/form-data; boundary=", pieces: [text([])] }, "InvalidForm", "no boundary"],
        [{ type: B, pieces: [] }, "InvalidForm", "the form ends before its closing boundary"],
        [{ type: B, pieces: [text([file], "")] }, "InvalidForm", "the form ends before its closing boundary"],
        [{ type: B, pieces: [text([file, "no header\r\n\r\n"])] }, "InvalidForm", "headers that can't be read"],
        [{ type: B, pieces: [text([file, "X: y\r\n\r\nz"])] }, "InvalidForm", "has no name"],
        [
          { type: B, pieces: [text(['Content-Disposition: form-data; name="model"\remo', field("a", "b")])] },
          "InvalidForm",
          "has no name"
        ],
        [{ type: B, pieces: [text(Array.from({ length: 129 }, () => field("a", "b")))] }, "InvalidForm", "128 parts"],
        [{ type: B, pieces: [text([file, field("a", "b".repeat(MB + 1))])] }, "InvalidForm", "1048576 bytes"],
        [
          { type: B, pieces: [text(Array.from({ length: 5 }, () => field("a", "b".repeat(MB))))] },
          "InvalidForm",
          "4194304 bytes together"
        ]
      ]
      for (const [given, tag, words] of cases) {
        const error = yield* Effect.flip(Effect.scoped(read(given)))
        assert.strictEqual(error._tag, tag, words)
        assert.include(error.message, words)
        assert.deepStrictEqual(uploadsOnDisk(), [])
      }
    })
  )

  it.live("may have text after its end, names that JavaScript knows, and repeated fields", () =>
    Effect.gen(function* () {
      const body = text([field("__proto__", "a"), field("x", "1"), field("x", "2"), field("y[]", "3")], "--B--\r\nmore")
      const { fields } = yield* read({ type: B, pieces: cut(body, () => 3) })
      assert.deepStrictEqual(Object.entries(fields), [
        ["__proto__", "a"],
        ["x", ["1", "2"]],
        ["y", ["3"]]
      ])
    }).pipe(Effect.scoped)
  )
})

/** A server that reads forms of at most 2 MB and answers their size. */
const served = Effect.gen(function* () {
  const run = Effect.runForkWith(yield* Effect.context())
  const began = yield* Deferred.make<Fiber.Fiber<FormBody, EndpointError>>()
  const server = createServer({ ServerResponse: LastingResponse }, (incoming, response) => {
    const request = new NodeRequest(incoming, response, { params: {}, requestId: "req_1", echoedId: "req_1" })
    const reading = run(Effect.scoped(readForm(request, 2 * MB, unbounded())))
    Deferred.doneUnsafe(began, Exit.succeed(reading))
    reading.addObserver((exit) => {
      if (Exit.isSuccess(exit)) return void response.end(String(exit.value.bytes))
      const [reason] = exit.cause.reasons
      if (reason?._tag === "Fail") replyError(new NodeReply(response, 1_000), "POST", "req_1", reason.error, 0)
    })
  })
  yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close().closeAllConnections()))
  return { port: (server.address() as AddressInfo).port, began: Deferred.await(began) }
})

const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${B}\r\n`
const opening = '--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'

/** All that a server answers to `request`, which then says no more. */
const answered = (port: number, request: string) =>
  Effect.callback<string>((resume) => {
    const socket = connect(port, "127.0.0.1").setEncoding("utf8")
    let all = ""
    socket.on("data", (piece: string) => {
      all += piece
      if (all.includes("}}") || all.endsWith("\r\n\r\n0\r\n\r\n")) {
        resume(Effect.succeed(all))
        socket.destroy()
      }
    })
    socket.on("error", () => {})
    socket.write(request)
  })

describe("a form whose file has to go to the disk", () => {
  const EXT4 = 0xef53
  const GB = 1024 * MB

  it.live("leaves 256 MB of the disk free, or an eighth of a small one, and is refused for lack of room", () =>
    Effect.gen(function* () {
      const sent = (size: number) => {
        const { form, headers } = formBody({ model: "m" }, [uploaded("file", noise(size, 3))])
        return Effect.map(
          Effect.promise(() => allOf(form)),
          (bytes) => ({ type: headers["content-type"]!, pieces: cut(bytes, () => 100_000) })
        )
      }
      const [large, small] = [yield* sent(3 * MB), yield* sent(MB / 2)]
      /** A disk of which each look finds a megabyte less. */
      const on = (size: number, free: number) => {
        let left = free
        const disk = () => Promise.resolve({ type: EXT4, bsize: 1, blocks: size, bavail: (left -= MB) })
        return <A, E, R>(reading: Effect.Effect<A, E, R>) => Effect.provideService(reading, TemporaryDisk, disk)
      }
      const refused = Effect.flip(Effect.scoped(read(large)))
      for (const [size, free] of [
        [20 * GB, 256 * MB],
        [20 * GB, 258 * MB],
        [GB, 128 * MB]
      ] as const) {
        const error = yield* on(size, free)(refused)
        assert.deepInclude(error, { _tag: "NoRoom", of: "disk" })
        assert.isEmpty(uploadsOnDisk())
        assert.lengthOf((yield* on(size, free)(Effect.scoped(read(small)))).files, 1)
      }
      for (const [size, free] of [
        [20 * GB, 270 * MB],
        [GB, 140 * MB]
      ] as const) {
        assert.lengthOf((yield* on(size, free)(Effect.scoped(read(large)))).files, 1)
      }
    })
  )
})

describe("a form over a socket", () => {
  it.live("that is too large is refused by its announced length before it is sent, else while it arrives", () =>
    Effect.gen(function* () {
      const { port } = yield* served
      const announced = yield* answered(port, `${head}Content-Length: ${3 * MB}\r\n\r\n`)
      assert.match(announced, /^HTTP\/1.1 413 /)
      assert.include(announced, "body_too_large")
      const piece = `100000\r\n${"x".repeat(MB)}\r\n`
      const chunked = yield* answered(
        port,
        `${head}Transfer-Encoding: chunked\r\n\r\n${opening.length.toString(16)}\r\n${opening}\r\n${piece.repeat(3)}`
      )
      assert.match(chunked, /^HTTP\/1.1 413 /)
      assert.deepStrictEqual(uploadsOnDisk(), [])
    }).pipe(Effect.scoped)
  )

  it.live("whose sender leaves in the middle leaves nothing on the disk", () =>
    Effect.gen(function* () {
      const { began, port } = yield* served
      const socket = connect(port, "127.0.0.1")
      socket.on("error", () => {})
      socket.write(`${head}Content-Length: ${2 * MB}\r\n\r\n${opening}${"x".repeat(1.5 * MB)}`)
      const reading = yield* began
      socket.destroySoon()
      const exit = yield* Fiber.await(reading)
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(uploadsOnDisk(), [])
    }).pipe(Effect.scoped)
  )

  it.live("that is interrupted while it waits for more ends at once and leaves nothing on the disk", () =>
    Effect.gen(function* () {
      const { began, port } = yield* served
      const socket = connect(port, "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
      socket.write(`${head}Content-Length: ${2 * MB}\r\n\r\n${opening}${"x".repeat(1.5 * MB)}`)
      const reading = yield* began
      yield* Fiber.interrupt(reading)
      assert.deepStrictEqual(uploadsOnDisk(), [])
    }).pipe(Effect.scoped)
  )
})
