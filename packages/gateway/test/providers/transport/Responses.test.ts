/** Responses as bytes, sound ones and broken ones, cut as a network may cut them: what a caller of the transport sees. */
import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import { Transport, type UpstreamHead } from "../../../src/core/pool/Transport.ts"
import { HttpTransport } from "../../../src/providers/transport/HttpTransport.ts"
import { Chance } from "../../support/Mutate.ts"
import { post, serveRaw, turn } from "./Loopback.ts"

const ANOTHER_LENGTH = /another length than it announced/

const ok = (headers: ReadonlyArray<string>, body: string): string =>
  ["HTTP/1.1 200 OK", ...headers, "", body].join("\r\n")
const chunked = (body: string): string => ok(["transfer-encoding: chunked"], body)

/** What a vendor or a proxy in front of it may well send. */
const sound: ReadonlyArray<readonly [string, string]> = [
  [ok(["content-length: 5"], "hello"), "hello"],
  [ok(["Content-Length:5", "X-Empty:", "x-y: \t a b \t"], "hello"), "hello"],
  ["HTTP/1.1 500\r\ncontent-length: 2\r\n\r\nno", "no"],
  ["HTTP/1.1 429 \r\ncontent-length: 2\r\n\r\nno", "no"],
  ["HTTP/1.1 200 Tr\xe8s bien\r\nserver: caf\xe9\r\ncontent-length: 0\r\n\r\n", ""],
  ["HTTP/1.1 204 No Content\r\n\r\n", ""],
  ["HTTP/1.1 304 Not Modified\r\ncontent-length: 12\r\n\r\n", ""],
  [
    "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" + ok(["content-length: 2"], "ok"),
    "ok"
  ],
  [ok(["set-cookie: a=1", "set-cookie: b=2", "content-length: 2"], "ok"), "ok"],
  [ok(["constructor: a", "__proto__: b", "tostring: c", "content-length: 2"], "ok"), "ok"],
  [chunked("5\r\nhello\r\n0\r\n\r\n"), "hello"],
  [chunked("0\r\n\r\n"), ""],
  [chunked("1\r\nh\r\n00A\r\n0123456789\r\nb\r\n0123456789a\r\n000\r\n\r\n"), "h01234567890123456789a"],
  [chunked('3;name=value;other="q"\r\nabc\r\n0;last\r\n\r\n'), "abc"],
  [chunked("3\r\nabc\r\n0\r\nx-checksum: 1\r\nx-more: 2\r\n\r\n"), "abc"],
  [chunked("4\r\n\r\n\r\n\r\n0\r\n\r\n"), "\r\n\r\n"],
  [ok(["Transfer-Encoding: Chunked"], "2\r\nok\r\n0\r\n\r\n"), "ok"],
  [chunked(`${";name=value".padStart(12, "1") + "\r\nx\r\n"}`.repeat(3) + "0\r\n\r\n"), "xxx"],
  ["\r\n\r\n" + ok(["content-length: 2"], "ok"), "ok"],
  [ok(["connection: a" + " ".repeat(200) + "b", "content-length: 2"], "ok"), "ok"],
  [ok([], "until the end"), "until the end"],
  [chunked(`2;${"x".repeat(20_000)}\r\nok\r\n0\r\n\r\n`), "ok"],
  ["HTTP/1.0 200 OK\r\n\r\nold", "old"],
  ["HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nold", "old"]
]

/** What is no answer, or may be read as two different ones. */
const unsound: ReadonlyArray<readonly [string, RegExp]> = [
  ["SSH-2.0-OpenSSH_9.2\r\n", /Expected HTTP/],
  ["\x15\x03\x01\x00\x02\x02\x50", /Expected HTTP/],
  ["HTTP/2 200\r\n\r\n", /Expected dot/],
  ["HTTP/1.1 20 OK\r\n\r\n", /Invalid status code/],
  ["HTTP/1.1 2000 OK\r\n\r\n", /Invalid response status/],
  ["HTTP/1.1  200 OK\r\n\r\n", /Invalid status code/],
  ["HTTP/1.1 200 OK\r\ncontent-length : 2\r\n\r\nok", /Invalid header field/],
  ["HTTP/1.1 200 OK\r\ncontent length: 2\r\n\r\nok", /Invalid header token/],
  ["HTTP/1.1 200 OK\r\n: 2\r\n\r\nok", /Invalid header token/],
  ["HTTP/1.1 200 OK\ncontent-length: 2\n\nok", /Missing expected CR/],
  ["HTTP/1.1 100 Continue\r\n\r\n".repeat(1_001), /bad response/],
  ["HTTP/1.1 200 OK\r\nno colon\r\n\r\nok", /Invalid header token/],
  ["HTTP/1.1 200 OK\r\nx: a\r\n folded\r\n\r\nok", /Unexpected whitespace/],
  ["HTTP/1.1 200 OK\r\nx: a\x00b\r\n\r\nok", /Invalid header value/],
  ["HTTP/1.1 200 OK\r\nx: a\rb\r\n\r\nok", /Missing expected LF/],
  ["HTTP/1.1 200 OK\r\nx: a\nb: c\r\n\r\nok", /Missing expected CR/],
  [ok(["content-length: 2", "content-length: 2"], "ok"), ANOTHER_LENGTH],
  [ok(["content-length: 2", "content-length: 3"], "oks"), ANOTHER_LENGTH],
  [ok(["content-length: -2"], "ok"), /Invalid character in Content-Length/],
  [ok(["content-length: 0x2"], "ok"), /Invalid character in Content-Length/],
  [ok(["content-length:"], "ok"), /Empty Content-Length/],
  [ok(["content-length: 2\xa0"], "ok"), ANOTHER_LENGTH],
  [ok(["content-length: 9999999999999999999999"], "ok"), ANOTHER_LENGTH],
  [ok(["content-length: 2", "transfer-encoding: chunked"], "2\r\nok\r\n0\r\n\r\n"), ANOTHER_LENGTH],
  ["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", /bad upgrade/],
  [chunked("\r\n"), /Invalid character in chunk size/],
  [chunked("g\r\n"), /Invalid character in chunk size/],
  [chunked("-1\r\na"), /Invalid character in chunk size/],
  [chunked("0x1\r\na\r\n"), /Invalid character in chunk size/],
  [chunked("ffffffffffffffffff\r\na\r\n"), /Chunk size overflow/],
  [chunked("2\nok\r\n0\r\n\r\n"), /Missing expected CR/],
  [chunked("2\r\nokay\r\n0\r\n\r\n"), /Expected LF after chunk data/],
  [chunked("2\r\nok\n0\r\n\r\n"), /Missing expected CR after chunk data/],
  [chunked("2\r\nok0\r\n\r\n"), /Expected LF after chunk data/],
  [chunked("2;a\nb\r\nok\r\n0\r\n\r\n"), /Missing expected CR/],
  [chunked("2 \r\nok\r\n0\r\n\r\n"), /Invalid character in chunk size/],
  [chunked("2 a\r\nok\r\n0\r\n\r\n"), /Invalid character in chunk size/],
  [chunked('2;a="\r\nok\r\n0\r\n\r\n'), /Invalid character in chunk extensions/],
  [chunked("0\r\nx: a\nb\r\n\r\n"), /Missing expected CR/],
  [chunked("0\r\n\n\r\n"), /Invalid header field/],
  [chunked("0\r\nHTTP/1.1 200 OK\r\n\r\n"), /Invalid header token/],
  [chunked("0\r\nx: a\r\n folded\r\n\r\n"), /Unexpected whitespace/],
  [chunked("0\r\nx: a\r\n\rx"), /Expected LF/],
  [chunked(`0\r\nx: ${"x".repeat(20_000)}\r\n\r\n`), /larger than is accepted/],
  [ok([`x: ${"x".repeat(20_000)}`], "ok"), /larger than is accepted/]
]

/** A byte changed, left out, put in or doubled. */
const mutated = (text: string, chance: Chance): string => {
  const at = chance.below(text.length)
  const byte = String.fromCharCode(chance.pick([13, 10, 32, 9, 0, 48, 58, 59, 97, 255]))
  switch (chance.below(4)) {
    case 0:
      return text.slice(0, at) + byte + text.slice(at + 1)
    case 1:
      return text.slice(0, at) + text.slice(at + 1)
    case 2:
      return text.slice(0, at) + byte + text.slice(at)
    default:
      return text.slice(0, at) + text.slice(at, at + 9) + text.slice(at)
  }
}

const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1")

const provided = Effect.provide(HttpTransport.layer)

/** Sends what `next` holds as the response to each request, in pieces that leave one by one, and closes the connection. */
const serveBytes = Effect.gen(function* () {
  const next: { pieces: ReadonlyArray<Buffer> } = { pieces: [] }
  const send = (socket: Socket, index: number): void => {
    const piece = next.pieces[index]
    if (piece === undefined) socket.end()
    else socket.write(piece, () => setImmediate(() => send(socket, index + 1)))
  }
  const upstream = yield* serveRaw((socket) => send(socket, 0))
  const transport = yield* Transport
  const call = (...pieces: ReadonlyArray<Buffer>) =>
    Effect.suspend(() => {
      next.pieces = pieces
      return Effect.result(transport.whole(post(upstream.baseUrl)))
    })
  return { call, load: () => transport.load(upstream.baseUrl) }
})

const bodyOf = ({ bytes = new Uint8Array() }: { readonly bytes?: Uint8Array }): string =>
  Buffer.from(bytes).toString("latin1")

describe("a response", () => {
  it.live(
    "is read in one piece, cut at each byte, and byte by byte",
    () =>
      Effect.gen(function* () {
        const { call } = yield* serveBytes
        for (const [text, body] of sound) {
          const bytes = bytesOf(text)
          const cuts = bytes.length > 1_000 ? [1, 50, bytes.length - 5] : Array.from(bytes, (_, at) => at).slice(1)
          const ways = [[bytes], ...cuts.map((at) => [bytes.subarray(0, at), bytes.subarray(at)])]
          if (bytes.length < 100) ways.push(Array.from(bytes, (byte) => Buffer.from([byte])))
          for (const pieces of ways) {
            const { length } = pieces[0]!
            const answer = yield* call(...pieces)
            assert.isTrue(Result.isSuccess(answer), `${JSON.stringify(text)} cut at ${length}`)
            assert.strictEqual(bodyOf(Result.getOrThrow(answer)), body, `${JSON.stringify(text)} cut at ${length}`)
          }
        }
      }).pipe(provided),
    120_000
  )

  it.live("that is none, or may be read as two different ones, fails the call and says what is wrong", () =>
    Effect.gen(function* () {
      const { call, load } = yield* serveBytes
      for (const [text, flaw] of unsound) {
        const bytes = bytesOf(text)
        for (const pieces of [[bytes], [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)]]) {
          const answer = yield* call(...pieces)
          assert.isTrue(Result.isFailure(answer), JSON.stringify(text))
          const { kind, message } = Result.getOrThrow(Result.flip(answer))
          assert.include(["reset", "cut"], kind, JSON.stringify(text))
          assert.match(message, flaw, JSON.stringify(text))
        }
      }
      assert.deepInclude(load(), { open: 0, waiting: 0 })
    }).pipe(provided)
  )

  it.live("has all headers that were sent, the values of one name joined, and no others", () =>
    Effect.gen(function* () {
      const { call } = yield* serveBytes
      const text = ok(["a: 1", "A: 2", "constructor: x", "__proto__: y", "content-length: 0"], "")
      const { headers }: UpstreamHead = Result.getOrThrow(yield* call(bytesOf(text)))
      assert.deepStrictEqual(Object.entries(headers), [
        ["a", "1, 2"],
        ["constructor", "x"],
        ["__proto__", "y"],
        ["content-length", "0"]
      ])
      assert.isUndefined(headers["tostring"])
    }).pipe(provided)
  )

  it.live("ends before the bytes behind it, which close the connection and answer no other call", () =>
    Effect.gen(function* () {
      let text = ""
      const upstream = yield* serveRaw((socket) => socket.write(bytesOf(text)))
      const transport = yield* Transport
      for (const [each, body] of sound.filter(([one]) => /^HTTP\/1\.1 200.*(content-length|chunked)/is.test(one))) {
        for (const unasked of ["x", "\r\nx", "HTTP/1.1 200 OK\r\n", ok(["content-length: 2"], "no")]) {
          text = each + unasked
          const before = upstream.accepted()
          for (let time = 0; time < 2; time++) {
            const answer = yield* transport.whole(post(upstream.baseUrl))
            assert.strictEqual(bodyOf(answer), body, JSON.stringify(text))
            yield* turn
          }
          assert.strictEqual(upstream.accepted(), before + 2, JSON.stringify(text))
        }
      }
    }).pipe(provided)
  )

  it.live("is waited for until all of its length has come", () =>
    Effect.gen(function* () {
      const { call } = yield* serveBytes
      for (const [text] of sound.filter(([one]) => /^HTTP\/1\.1 200.*(content-length: [1-9]|chunked)/is.test(one))) {
        for (let end = text.length - 1; end > text.length - 8; end--) {
          const answer = yield* call(bytesOf(text.slice(0, end)))
          assert.isTrue(Result.isFailure(answer), JSON.stringify(text.slice(0, end)))
        }
      }
    }).pipe(provided)
  )

  it.live(
    "with a byte changed, left out, put in or doubled ends its call, and the next call gets its own response",
    () =>
      Effect.gen(function* () {
        const chance = new Chance(7)
        const all = sound.concat(unsound.map(([text]) => [text, ""])).map(([text]) => text)
        const { call, load } = yield* serveBytes
        const mine = bytesOf(ok(["content-length: 4"], "mine"))
        for (let n = 0; n < 500; n++) {
          const text = mutated(all[n % all.length]!, chance)
          const answer = yield* Effect.exit(call(bytesOf(text)))
          assert.isTrue(Exit.isSuccess(answer), JSON.stringify(text))
          assert.strictEqual(bodyOf(Result.getOrThrow(yield* call(mine))), "mine", JSON.stringify(text))
        }
        assert.deepInclude(load(), { open: 0, waiting: 0 })
      }).pipe(provided),
    60_000
  )
})
