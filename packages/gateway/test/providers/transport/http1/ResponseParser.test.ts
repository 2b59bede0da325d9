/** Answers as bytes, cut in every way a network may cut them, and what undici makes of the same. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { Client } from "undici"
import { Transport } from "../../../../src/core/pool/Transport.ts"
import { HttpTransport } from "../../../../src/providers/transport/HttpTransport.ts"
import type { ResponseHead } from "../../../../src/providers/transport/http1/ResponseHead.ts"
import { ResponseParser } from "../../../../src/providers/transport/http1/ResponseParser.ts"
import { Chance } from "../../../support/Mutate.ts"
import { post, serveRaw } from "../Loopback.ts"

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
  ["HTTP/1.0 200 OK\r\n\r\nold", "old"],
  ["HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nold", "old"]
]

/** What is no answer, or may be read as two different ones. */
const unsound: ReadonlyArray<readonly [string, RegExp]> = [
  ["SSH-2.0-OpenSSH_9.2\r\n", /no HTTP\/1\.1/],
  ["\x15\x03\x01\x00\x02\x02\x50", /no HTTP\/1\.1/],
  ["HTTP/2 200\r\n\r\n", /no HTTP\/1\.1/],
  ["HTTP/1.1 20 OK\r\n\r\n", /head/],
  ["HTTP/1.1 2000 OK\r\n\r\n", /head/],
  ["HTTP/1.1  200 OK\r\n\r\n", /head/],
  ["HTTP/1.1 200 OK\r\ncontent-length : 2\r\n\r\nok", /head/],
  ["HTTP/1.1 200 OK\r\ncontent length: 2\r\n\r\nok", /head/],
  ["HTTP/1.1 200 OK\r\n: 2\r\n\r\nok", /head/],
  ["HTTP/1.1 200 OK\ncontent-length: 2\n\nok", /head/],
  ["HTTP/1.1 100 Continue\r\n\r\n".repeat(1_001), /notices/],
  ["HTTP/1.1 200 OK\r\nno colon\r\n\r\nok", /head/],
  ["HTTP/1.1 200 OK\r\nx: a\r\n folded\r\n\r\nok", /head/],
  ["HTTP/1.1 200 OK\r\nx: a\x00b\r\n\r\nok", /head/],
  ["HTTP/1.1 200 OK\r\nx: a\rb\r\n\r\nok", /head/],
  ["HTTP/1.1 200 OK\r\nx: a\nb: c\r\n\r\nok", /head/],
  [ok(["content-length: 2", "content-length: 2"], "ok"), /how long/],
  [ok(["content-length: 2", "content-length: 3"], "oks"), /how long/],
  [ok(["content-length: -2"], "ok"), /how long/],
  [ok(["content-length: 0x2"], "ok"), /how long/],
  [ok(["content-length:"], "ok"), /how long/],
  [ok(["content-length: 2\xa0"], "ok"), /how long/],
  [ok(["content-length: 9999999999999999999999"], "ok"), /how long/],
  [ok(["content-length: 2", "transfer-encoding: chunked"], "2\r\nok\r\n0\r\n\r\n"), /how long/],
  ["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", /protocol/],
  [chunked("\r\n"), /no size/],
  [chunked("g\r\n"), /no size/],
  [chunked("-1\r\na"), /no size/],
  [chunked("0x1\r\na\r\n"), /no size/],
  [chunked("ffffffffffffffffff\r\na\r\n"), /too large/],
  [chunked("2\nok\r\n0\r\n\r\n"), /no size/],
  [chunked("2\r\nokay\r\n0\r\n\r\n"), /where its size says/],
  [chunked("2\r\nok\n0\r\n\r\n"), /where its size says/],
  [chunked("2\r\nok0\r\n\r\n"), /where its size says/],
  [chunked("2;a\nb\r\nok\r\n0\r\n\r\n"), /beside/],
  [chunked("2 \r\nok\r\n0\r\n\r\n"), /beside/],
  [chunked("2 a\r\nok\r\n0\r\n\r\n"), /beside/],
  [chunked('2;a="\r\nok\r\n0\r\n\r\n'), /beside/],
  [chunked("0\r\nx: a\nb\r\n\r\n"), /beside/],
  [chunked("0\r\n\n\r\n"), /beside/],
  [chunked("0\r\nHTTP/1.1 200 OK\r\n\r\n"), /beside/],
  [chunked("0\r\nx: a\r\n folded\r\n\r\n"), /beside/],
  [chunked("0\r\nx: a\r\n\rx"), /where its size says/],
  [chunked(`2;${"x".repeat(20_000)}\r\nok\r\n0\r\n\r\n`), /too much/],
  [chunked(`0\r\nx: ${"x".repeat(20_000)}\r\n\r\n`), /too much/],
  [ok([`x: ${"x".repeat(20_000)}`], "ok"), /larger than is accepted/]
]

interface Seen {
  readonly head: ResponseHead | undefined
  readonly body: string
  readonly flaw: string | undefined
  readonly isOver: boolean
  readonly pieces: number
  /** Bytes behind the answer. */
  readonly rest: number
}

/** Reads pieces out of one buffer, which the next one overwrites, as connections do. */
const read = (pieces: ReadonlyArray<Buffer>): Seen => {
  const shared = Buffer.alloc(64 * 1024, "\r\n\r\n")
  const parser = new ResponseParser()
  let head: ResponseHead | undefined
  const body: Array<Buffer> = []
  let rest = 0
  for (const piece of pieces) {
    piece.copy(shared)
    if (parser.isOver || parser.flaw !== undefined) {
      rest += piece.length
      continue
    }
    const end = parser.read(shared, piece.length, {
      onHead: (seen) => {
        assert.isUndefined(head)
        head = seen
      },
      onPiece: (bytes) => void body.push(bytes)
    })
    rest += piece.length - end
  }
  parser.close()
  const { flaw, isOver } = parser
  return { head, body: Buffer.concat(body).toString("latin1"), flaw, isOver, pieces: body.length, rest }
}

const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1")

describe("ResponseParser", () => {
  it("reads an answer whole, cut at each byte, and byte by byte", () => {
    for (const [text, body] of sound) {
      const bytes = bytesOf(text)
      const whole = read([bytes])
      assert.deepInclude(whole, { body, flaw: undefined, isOver: true, rest: 0 }, text)
      assert.isAtMost(whole.pieces, 1, text)
      for (let cut = 1; cut < bytes.length; cut++) {
        const { pieces: _, ...seen } = read([bytes.subarray(0, cut), bytes.subarray(cut)])
        assert.deepInclude(whole, seen, `${text} cut at ${cut}`)
      }
      const { pieces: _, ...slow } = read(Array.from(bytes, (byte) => Buffer.from([byte])))
      assert.deepInclude(whole, slow, text)
    }
  })

  it("reads what is sound and undici's parser refuses", () => {
    for (const [text, body] of [
      [`HTTP/1.1 100 Continue\r\n\r\n${ok(["content-length: 2"], "ok")}`, "ok"],
      [chunked('3 ; name = "a; \\"b" ;c\r\nabc\r\n0\r\n\r\n'), "abc"],
      [ok(["content-length: 2 \t"], "ok"), "ok"],
      [ok(["transfer-encoding: chunked \t"], "2\r\nok\r\n0\r\n\r\n"), "ok"]
    ] as const) {
      assert.deepInclude(read([bytesOf(text)]), { body, isOver: true, flaw: undefined }, text)
    }
  })

  it("names the flaw of what is none, wherever it is cut, and keeps what came before it", () => {
    for (const [text, flaw] of unsound) {
      const bytes = bytesOf(text)
      const whole = read([bytes])
      assert.match(whole.flaw ?? "", flaw, text)
      assert.isFalse(whole.isOver, text)
      for (let cut = 1; cut < Math.min(bytes.length, 200); cut++) {
        const { body, flaw: also } = read([bytes.subarray(0, cut), bytes.subarray(cut)])
        assert.deepStrictEqual([body, also], [whole.body, whole.flaw], `${text} cut at ${cut}`)
      }
    }
  })

  it("tells the bytes behind an answer from those of it, and waits for all of a body that has a length", () => {
    for (const [text] of sound.filter(([text]) => /(content-length|chunked)/i.test(text))) {
      // The line ends in front of an answer are none of its own.
      for (const unasked of ["x", "\r\nx", "HTTP/1.1 200 OK\r\n", ok(["content-length: 2"], "no")]) {
        const bytes = bytesOf(text + unasked)
        assert.strictEqual(read([bytes]).rest, unasked.length, text)
        for (let cut = 1; cut < text.length; cut++) {
          const { rest, isOver } = read([bytes.subarray(0, cut), bytes.subarray(cut)])
          assert.deepStrictEqual([rest, isOver], [unasked.length, true], text)
        }
      }
      for (let end = 0; end < text.length; end++) assert.isFalse(read([bytesOf(text.slice(0, end))]).isOver, text)
    }
  })

  it("keeps the last of several values from hiding the others, and no header is anything but what was sent", () => {
    const { headers } = read([
      bytesOf(ok(["a: 1", "A: 2", "constructor: x", "__proto__: y", "content-length: 0"], ""))
    ]).head!
    assert.deepStrictEqual(Object.entries(headers), [
      ["a", "1, 2"],
      ["constructor", "x"],
      ["content-length", "0"]
    ])
    assert.isUndefined(headers["tostring"])
  })

  it("reads any number of chunks, with whatever stands behind their sizes", () => {
    const seen = read(Array.from({ length: 3_000 }, (_, n) => bytesOf(n === 0 ? chunked("") : "1;name=value\r\nx\r\n")))
    assert.deepInclude(seen, { body: "x".repeat(2_999), flaw: undefined, isOver: false })
  })

  it("says how long a connection may be idle after an answer", () => {
    const kept = (head: string): number => read([bytesOf(`${head}\r\ncontent-length: 0\r\n\r\n`)]).head!.keptAliveMs
    assert.strictEqual(kept("HTTP/1.1 200 OK"), 30_000)
    assert.strictEqual(kept("HTTP/1.1 200 OK\r\nkeep-alive: timeout=5"), 3_000)
    assert.strictEqual(kept("HTTP/1.1 200 OK\r\nkeep-alive: max=10, Timeout=7"), 5_000)
    assert.strictEqual(kept("HTTP/1.1 200 OK\r\nkeep-alive: timeout=999999999"), 600_000)
    assert.strictEqual(kept("HTTP/1.1 200 OK\r\nkeep-alive: timeout=soon"), 30_000)
    for (const last of [
      "HTTP/1.1 200 OK\r\nkeep-alive: timeout=1",
      "HTTP/1.1 200 OK\r\nConnection: Close",
      "HTTP/1.1 200 OK\r\nconnection: x-other , close",
      "HTTP/1.0 200 OK"
    ]) {
      assert.strictEqual(kept(last), 0, last)
    }
    assert.strictEqual(kept("HTTP/1.0 200 OK\r\nconnection: Keep-Alive"), 30_000)
  })
})

/** Of a closed connection: status, body, or that there was none. */
type Verdict = { readonly status: number; readonly body: string } | "none"

const byUndici = (origin: string): Effect.Effect<Verdict> =>
  Effect.promise(async () => {
    const client = new Client(origin)
    try {
      const { statusCode, body } = await client.request({ path: "/", method: "POST", body: "{}" })
      return { status: statusCode, body: Buffer.from(await body.arrayBuffer()).toString("latin1") }
    } catch {
      return "none"
    } finally {
      await client.destroy()
    }
  })

const byOurs = (baseUrl: string) =>
  Effect.gen(function* () {
    const transport = yield* Transport
    const answer = yield* Effect.exit(transport.whole(post(baseUrl)))
    if (Exit.isFailure(answer)) return "none"
    const { status, text, bytes = Buffer.from(text) } = answer.value
    return { status, body: Buffer.from(bytes).toString("latin1") }
  })

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

/**
 * Without white space that means nothing (RFC 9110, 5.5 and 9112, 7.1.1), where undici 8.12.4 refuses it or takes a body in chunks for one
 * that ends with the connection, and without notices that it does not expect.
 */
const plain = (text: string): string =>
  text
    .replaceAll(/((?:content-length|transfer-encoding):[^\r]*?)[\t ]+\r\n/gi, "$1\r\n")
    .replaceAll(/(\r\n[\da-f]+[^\r]*)\r/gi, (line) => line.replaceAll(/[\t ]*([;=])[\t ]*/g, "$1"))
    .replaceAll(/HTTP\/1\.[01] 1../g, "HTTP/1.1 102")

describe("ResponseParser beside undici's", () => {
  it.live(
    "never reads another answer than undici, and refuses no sound one",
    () =>
      Effect.gen(function* () {
        const chance = new Chance(7)
        const all = sound.map(([text]) => text).concat(unsound.map(([text]) => text))
        const cases = all.concat(Array.from({ length: 1_500 }, (_, n) => mutated(all[n % sound.length]!, chance)))
        let text = ""
        const upstream = yield* serveRaw((socket) => socket.end(bytesOf(text)))
        const { origin } = new URL(upstream.baseUrl)
        let alike = 0
        for (const [n, each] of cases.entries()) {
          text = each
          const ours: Verdict = yield* byOurs(upstream.baseUrl).pipe(Effect.provide(HttpTransport.layer))
          let theirs = yield* byUndici(origin)
          // Strict where undici is not: then there is no answer at all.
          if (ours === "none" && (theirs === "none" || n >= sound.length)) continue
          // The status of a refusal is enough where its text broke off.
          if (ours !== "none" && ours.status >= 300 && ours.body === "" && theirs === "none") continue
          text = plain(each)
          if (text !== each) theirs = yield* byUndici(origin)
          assert.deepStrictEqual(ours, theirs, JSON.stringify(each))
          alike++
        }
        assert.isAbove(alike, 300)
      }),
    120_000
  )
})
