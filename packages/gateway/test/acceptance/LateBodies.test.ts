/** Answers that are there before their request is: who still sends gets to read them, and sends no longer than it takes. */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parseAnswers } from "../support/RawSocket.ts"
import { demoYaml, masterKey, startGateway } from "../support/RunningGateway.ts"

const MB = 2 ** 20

/** Sends all of `pieces`, and only then reads: what it heard, or why it could not send. */
const sendThenRead = (url: string, pieces: ReadonlyArray<string | Uint8Array>) =>
  Effect.callback<{ readonly statuses: ReadonlyArray<number>; readonly error: string | undefined }>((resume) => {
    const { hostname, port } = new URL(url)
    // A peer that closes its side does not close ours.
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).pause()
    let bytes = Buffer.alloc(0)
    let error: string | undefined
    socket.on("data", (piece) => {
      bytes = Buffer.concat([bytes, piece])
      // One that may be used again stays open otherwise.
      if (parseAnswers(bytes).answers.length > 0) socket.end()
    })
    socket.on("error", (cause: NodeJS.ErrnoException) => (error = cause.code))
    socket.on("close", () => {
      resume(Effect.succeed({ statuses: parseAnswers(bytes).answers.map(({ status }) => status), error }))
    })
    const next = (at: number): void => {
      if (at === pieces.length) return void socket.resume()
      socket.write(pieces[at]!, () => setImmediate(next, at + 1))
    }
    next(0)
  })

const large = Array.from({ length: 8 }, () => Buffer.alloc(MB, "x"))

const started = Effect.gen(function* () {
  const { createKey, url } = yield* startGateway({ yaml: `${demoYaml}\nserver: { max_body_mb: 10 }\n` })
  const { secret } = yield* createKey()
  const head = (lines: ReadonlyArray<string>, target = "/v1/chat/completions") =>
    [`POST ${target} HTTP/1.1`, "Content-Type: application/json", ...lines, "", ""].join("\r\n")
  return { url, secret, head }
})

describe("an error answer that comes while its caller still sends", () => {
  it.live("reaches the caller, whatever the reason and however the connection goes on", () =>
    Effect.gen(function* () {
      const { head, secret, url } = yield* started
      const key = `Authorization: Bearer ${secret}`
      const length = `Content-Length: ${8 * MB}`
      for (const [why, status, lines, target] of [
        ["no Host", 400, [length, key], undefined],
        ["another expectation", 417, ["Host: x", "Expect: a-miracle", length, key], undefined],
        ["no key", 401, ["Host: x", length], undefined],
        ["no key, and the connection ends", 401, ["Host: x", "Connection: close", length], undefined],
        [
          "a body that is encoded",
          415,
          ["Host: x", "Connection: close", "Content-Encoding: gzip", length, key],
          undefined
        ],
        ["no such path", 404, ["Host: x", "Connection: close", length], "/nowhere"],
        ["no master key", 401, ["Host: x", "Connection: close", length], "/admin/keys"],
        ["another method", 405, ["Host: x", "Connection: close", length, key], "/v1/key"]
      ] as const) {
        const heard = yield* sendThenRead(url, [head(lines, target), ...large])
        assert.deepStrictEqual(heard, { statuses: [status], error: undefined }, why)
      }
      const tooLarge = ["Host: x", "Connection: close", `Content-Length: ${12 * MB}`, key]
      assert.deepStrictEqual(yield* sendThenRead(url, [head(tooLarge), ...large, ...large.slice(0, 4)]), {
        statuses: [413],
        error: undefined
      })
    })
  )

  it.live("is the last: what follows in the same breath is thrown away, not done", () =>
    Effect.gen(function* () {
      const { head, url } = yield* started
      const smuggled = `POST /admin/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${masterKey}\r\nContent-Length: 2\r\n\r\n{}`
      const heard = yield* sendThenRead(url, [
        head(["Host: x", "Connection: close", `Content-Length: ${MB}`]),
        large[0]!,
        smuggled.repeat(3)
      ])
      assert.deepStrictEqual(heard, { statuses: [401], error: undefined })
    })
  )

  it.live("does not keep the connection of who never ends", () =>
    Effect.gen(function* () {
      const { head, url } = yield* started
      const pieces = [head(["Host: x", "Connection: close", "Content-Length: 999999999"]), ...large]
      // It is cut off once it has been silent for a moment, or has sent too much.
      assert.deepStrictEqual((yield* sendThenRead(url, pieces)).statuses, [401])
      const flood = Array.from({ length: 100 }, () => large[0]!)
      assert.isDefined((yield* sendThenRead(url, [pieces[0]!, ...flood])).error)
    })
  )
})
