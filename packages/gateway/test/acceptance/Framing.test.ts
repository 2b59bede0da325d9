/** HTTP that is broken, smuggled, slow or something else: refused in the one shape, in time, with the gateway unharmed. */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type Heard, type Said, say } from "../support/RawSocket.ts"
import { demoYaml, masterKey, startGateway } from "../support/RunningGateway.ts"

const body = JSON.stringify({ model: "demo/mini", messages: [{ role: "user", content: "Hi" }] })

const started = Effect.fnUntraced(function* (server = "") {
  const { createKey, url } = yield* startGateway({ yaml: `server: { ${server} }\n${demoYaml}` })
  const { secret } = yield* createKey()
  const tell = (pieces: Said["pieces"], said: Partial<Said> = {}) => say(url, { pieces, answers: 1, ...said })
  const chat = (lines: ReadonlyArray<string>, content = body) =>
    ["POST /v1/chat/completions HTTP/1.1", `Authorization: Bearer ${secret}`, ...lines, "", content].join("\r\n")
  const plain = chat(["Host: x", "Content-Type: application/json", `Content-Length: ${body.length}`])
  const admin = (target: string, lines: ReadonlyArray<string> = ["Host: x"]) =>
    [`GET ${target} HTTP/1.1`, ...lines, "", ""].join("\r\n")
  return { url, secret, tell, chat, plain, admin }
})

/** Each answer is an error in the one shape; gives back the statuses. */
const refusals = ({ answers }: Heard): ReadonlyArray<number> =>
  answers.map(({ body: text, headers, status }) => {
    const { error, ...others } = JSON.parse(text)
    assert.deepStrictEqual(others, {}, text)
    for (const name of ["type", "message", "code"]) assert.isString(error[name], text)
    assert.isTrue(error.param === null || typeof error.param === "string", text)
    assert.match(headers.get("x-request-id") ?? "", /^[\x21-\x7e]+$/)
    assert.isAtLeast(status, 400)
    return status
  })

describe("framing", () => {
  it.live("that two servers could read differently is refused, and nothing after it is read", () =>
    Effect.gen(function* () {
      const { admin, chat, plain, tell } = yield* started()
      const smuggled = admin("/admin/keys", ["Host: x", `Authorization: Bearer ${masterKey}`])
      for (const [why, lines, content] of [
        ["CL.TE", ["Content-Length: 6", "Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`],
        ["TE.CL", ["Transfer-Encoding: chunked", "Content-Length: 3"], `1\r\nZ\r\nQ\r\n\r\n${smuggled}`],
        ["two lengths", ["Content-Length: 4", `Content-Length: ${body.length}`], body + smuggled],
        ["a list of lengths", [`Content-Length: 4, ${body.length}`], body + smuggled],
        ["a signed length", ["Content-Length: +4"], body + smuggled],
        ["a hexadecimal length", ["Content-Length: 0x10"], body + smuggled],
        ["an empty length", ["Content-Length:"], body + smuggled],
        ["an endless length", [`Content-Length: ${"9".repeat(40)}`], body + smuggled],
        ["space before the colon", ["Content-Length : 5"], body + smuggled],
        ["chunked twice", ["Transfer-Encoding: chunked, chunked"], `0\r\n\r\n${smuggled}`],
        ["chunked not last", ["Transfer-Encoding: chunked, gzip"], `0\r\n\r\n${smuggled}`],
        ["chunked, misspelled", ["Transfer-Encoding: xchunked"], `0\r\n\r\n${smuggled}`],
        ["no hexadecimal chunk", ["Transfer-Encoding: chunked"], `zz\r\n${smuggled}`],
        ["a negative chunk", ["Transfer-Encoding: chunked"], `-1\r\n${smuggled}`],
        ["a chunk longer than told", ["Transfer-Encoding: chunked"], `3\r\nabcd\r\n0\r\n\r\n${smuggled}`],
        ["an endless chunk size", ["Transfer-Encoding: chunked"], `${"f".repeat(40)}\r\n${smuggled}`],
        ["chunk extensions without end", ["Transfer-Encoding: chunked"], `1;${"x".repeat(20_000)}\r\n${smuggled}`],
        ["a folded header", ["X-A: 1", " 2", "Content-Length: 0"], smuggled],
        ["NUL in a header", ["X-A: a\u0000b", "Content-Length: 0"], smuggled],
        ["a bare CR", ["X-A: a\rContent-Length: 0"], smuggled],
        ["a header without colon", ["X-A"], smuggled],
        ["a header without name", [": x"], smuggled]
      ] as const) {
        const heard = yield* tell([chat(["Host: x", "Content-Type: application/json", ...lines], content)], {
          answers: 2
        })
        assert.deepStrictEqual(refusals(heard), [400], why)
        assert.strictEqual(heard.ended, "closed", why)
        assert.notInclude(heard.answers[0]!.body, masterKey)
      }
      assert.strictEqual((yield* tell([plain])).answers[0]?.status, 200)
    })
  )

  it.live("with two of a header that requests have once is refused, and the connection closed", () =>
    Effect.gen(function* () {
      const { chat, secret, tell } = yield* started()
      const usual = ["Host: x", "Content-Type: application/json", `Content-Length: ${body.length}`]
      for (const line of [
        "Host: y",
        "host: x",
        `AUTHORIZATION: Bearer ${secret}`,
        "Authorization: Bearer wrong",
        "content-type: text/plain"
      ]) {
        const heard = yield* tell([chat([...usual, line])], { answers: 2 })
        assert.deepStrictEqual(refusals(heard), [400], line)
        assert.include(heard.answers[0]!.body, `two ${line.split(":")[0]!.toLowerCase()} headers`)
        assert.strictEqual(heard.ended, "closed", line)
      }
      const list = yield* tell([chat([...usual, "X-Gateway-Tags: a", "X-Gateway-Tags: b", "Accept: a", "Accept: b"])])
      assert.strictEqual(list.answers[0]?.status, 200)
    })
  )

  it.live("that breaks after a request takes nothing of the answer that was written", () =>
    Effect.gen(function* () {
      const { secret, tell } = yield* started()
      const content = JSON.stringify({
        model: "demo/mini",
        max_tokens: 50,
        stream: true,
        messages: [{ role: "user", content: "Hi" }]
      })
      const head = [
        "POST /v1/messages HTTP/1.1",
        "Host: x",
        `Authorization: Bearer ${secret}`,
        "Content-Type: application/json"
      ]
      const request = [...head, `Content-Length: ${content.length}`, "", content].join("\r\n")
      const heard = yield* tell([`${request}":["x"],"max_tokens":50}`])
      assert.strictEqual(heard.answers[0]?.status, 200)
      assert.include(heard.answers[0]?.body, "event: message_stop")
    })
  )

  it.live("is read as HTTP has it where there is one way to read it", () =>
    Effect.gen(function* () {
      const { chat, plain, tell } = yield* started()
      const json = ["Host: x", "Content-Type: application/json"]
      const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\nX-Trailer: 1\r\n\r\n`
      for (const [why, pieces, count] of [
        ["chunked", [chat([...json, "Transfer-Encoding: chunked"], chunks)], 1],
        ["byte by byte", [...plain], 1],
        ["pipelined", [plain.repeat(5)], 5],
        ["HTTP/1.0 without Host", [plain.replace("HTTP/1.1", "HTTP/1.0").replace("Host: x\r\n", "")], 1],
        ["Host garbage", [plain.replace("Host: x", "Host: ]:-1//%%")], 1],
        ["Expect: 100-continue", [plain.replace("Host: x", "Host: x\r\nExpect: 100-continue")], 1],
        ["2,000 headers", [plain.replace("Host: x", `Host: x${"\r\na:b".repeat(2_500)}`)], 1],
        ["an empty line before it", [`\r\n\r\n${plain}`], 1]
      ] as const) {
        const { answers } = yield* tell(pieces, { answers: count })
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          Array.from({ length: count }, () => 200),
          why
        )
      }
    })
  )

  it.live("is refused by name where there is nothing to do with it", () =>
    Effect.gen(function* () {
      const { chat, plain, tell, url } = yield* started()
      const host = new URL(url).host
      const upgrade = ["Host: x", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
      for (const [why, status, request] of [
        ["no Host", 400, plain.replace("Host: x\r\n", "")],
        ["33 KiB of headers", 431, plain.replace("Host: x", `Host: x\r\nX-A: ${"x".repeat(33 * 1024)}`)],
        ["12,000 headers", 431, plain.replace("Host: x", `Host: x${"\r\na: bcd".repeat(12_000)}`)],
        ["a target of 40 KiB", 431, `GET /${"x".repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
        ["another expectation", 417, plain.replace("Host: x", "Host: x\r\nExpect: a-miracle")],
        ["CONNECT", 405, `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
        ["TRACE", 405, chat(["Host: x"], "").replace("POST", "TRACE")],
        ["OPTIONS *", 405, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"],
        ["an unknown method", 400, plain.replace("POST", "BREW")],
        ["HTTP/2", 400, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
        ["HTTP/9.9", 400, plain.replace("HTTP/1.1", "HTTP/9.9")],
        ["TLS", 400, "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n"],
        ["a WebSocket without a key", 401, ["GET /v1/responses HTTP/1.1", ...upgrade, "", ""].join("\r\n")],
        ["HTTP/2 by upgrade", 404, "GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"]
      ] as const) {
        const heard = yield* tell([request])
        assert.deepStrictEqual(refusals(heard), [status], why)
      }
    })
  )

  it.live("of HTTP/1.0 gets its stream without chunks, to the end of the connection", () =>
    Effect.gen(function* () {
      const { chat, tell } = yield* started()
      const content = body.replace("{", '{"stream":true,')
      const lines = ["Host: x", "Content-Type: application/json", `Content-Length: ${content.length}`]
      const { ended, raw } = yield* tell([chat(lines, content).replace("HTTP/1.1", "HTTP/1.0")], { answers: 2 })
      assert.strictEqual(ended, "closed")
      assert.match(raw, /^HTTP\/1\.1 200 /)
      assert.match(raw, /data: \[DONE\]\n\n$/)
    })
  )

  it.live("of a large body that is refused unread lets the client finish and read why", () =>
    Effect.gen(function* () {
      const { tell } = yield* started()
      const large = Buffer.alloc(12_000_000, " ")
      for (const [status, key] of [
        [401, "mgw_x"],
        [401, ""]
      ] as const) {
        const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: ${large.length}\r\nAuthorization: Bearer ${key}\r\n\r\n`
        const next = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        const { answers } = yield* tell([head, large, next], { answers: 2 })
        assert.deepStrictEqual(
          answers.map((one) => one.status),
          [status, 200]
        )
      }
    })
  )

  it.live("that is refused while the rest is still on its way is answered all the same", () =>
    Effect.gen(function* () {
      const { tell } = yield* started()
      const rest = Array.from({ length: 20 }, () => "x".repeat(10_000))
      for (const first of ["POST  HTTP/1.1\r\n", "GARBAGE\r\n\r\n", `GET /${"x".repeat(40_000)}`]) {
        for (let times = 0; times < 5; times++) {
          const { answers } = yield* tell([first, ...rest], { pause: times })
          assert.lengthOf(answers, 1, first.slice(0, 20))
        }
      }
    })
  )

  it.live("that is refused does not stay open for a client that does not close", () =>
    Effect.gen(function* () {
      const { url } = yield* started()
      const closed = yield* Effect.callback<number>((resume) => {
        const began = performance.now()
        const { hostname, port } = new URL(url)
        // Half open: the server's end does not end it.
        const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () =>
          socket.write("GARBAGE\r\n\r\n")
        )
        socket.on("error", () => {})
        // A closed connection shows in the second thing that is said to it; each is 2 s apart, so that the silence is long enough.
        const more = setInterval(() => socket.write("more"), 2_000)
        socket.resume().on("close", () => {
          clearInterval(more)
          resume(Effect.succeed(performance.now() - began))
        })
      })
      // Two seconds or four; idle connections that read stay for 75.
      assert.isBelow(closed, 30_000)
    })
  )

  it.live("of a body without end is answered at once, and cut off in time", () =>
    Effect.gen(function* () {
      const { chat, tell } = yield* started("request_timeout: 1s")
      const endless = Array.from({ length: 40 }, () => " ".repeat(1_000))
      const head = chat(["Host: x", "Content-Type: application/json", "Content-Length: 9007199254740993"], "")
      const heard = yield* tell([head, ...endless], { pause: 100, answers: 2 })
      assert.deepStrictEqual(refusals(heard), [413])
      assert.notStrictEqual(heard.ended, "quiet")
    })
  )

  it.live("of a second request on the connection is judged as that of a first", () =>
    Effect.gen(function* () {
      const { plain, tell } = yield* started()
      const { answers, ended } = yield* tell([plain, "NONSENSE\r\n\r\n"], { pause: 300, answers: 3 })
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 400]
      )
      assert.strictEqual(ended, "closed")
    })
  )
})

describe("slow clients", () => {
  const quick = "headers_timeout: 400ms, request_timeout: 800ms"

  const crowd = ({ plain, tell }: Effect.Success<ReturnType<typeof started>>) => {
    const all = Array.from({ length: 200 }, (_, n) => tell([plain.slice(0, 10 + n)], { answers: 2 }))
    return Effect.all(all, { concurrency: "unbounded" })
  }

  it.live("who never finish their headers are told and cut off", () =>
    Effect.gen(function* () {
      const { plain, tell } = yield* started(quick)
      for (const pieces of [[plain.slice(0, 40)], plain.slice(0, 200).split("")]) {
        const heard = yield* tell(pieces, { pause: 50, answers: 2 })
        assert.deepStrictEqual(refusals(heard), [408])
        assert.strictEqual(heard.ended, "closed")
      }
    })
  )

  it.live("who never finish their body are told and cut off, whether it was announced or comes in chunks", () =>
    Effect.gen(function* () {
      const { chat, plain, tell } = yield* started(quick)
      const chunked = chat(["Host: x", "Content-Type: application/json", "Transfer-Encoding: chunked"], "")
      for (const pieces of [
        [plain.slice(0, -10)],
        [plain.slice(0, -50), ...plain.slice(-50, -1)],
        [chunked, ...Array.from({ length: 50 }, () => "1\r\n \r\n")]
      ]) {
        const heard = yield* tell(pieces, { pause: 50, answers: 2 })
        assert.deepStrictEqual(refusals(heard), [408])
        assert.strictEqual(heard.ended, "closed")
      }
    })
  )

  it.live("who hang up their side in the middle of a body are told so", () =>
    Effect.gen(function* () {
      const { plain, tell } = yield* started()
      const heard = yield* tell([plain.slice(0, -10)], { end: true })
      assert.deepStrictEqual(refusals(heard), [400])
    })
  )

  it.live("hold up nobody else, two hundred of them", () =>
    Effect.gen(function* () {
      // With the usual limits none of them is cut off as long as this takes.
      const patient = yield* started()
      const waiting = yield* Effect.forkChild(crowd(patient))
      const { answers } = yield* patient.tell([patient.plain])
      assert.strictEqual(answers[0]?.status, 200)
      assert.isUndefined(waiting.pollUnsafe())
      yield* Fiber.interrupt(waiting)
      assert.isTrue((yield* crowd(yield* started(quick))).every(({ ended }) => ended === "closed"))
    })
  )

  it.live("are asked who they are again when their body is there: a key revoked meanwhile asks nobody", () =>
    Effect.gen(function* () {
      const { admin, createKey, ledger, url } = yield* startGateway({ yaml: demoYaml })
      const { id, secret } = yield* createKey()
      const head = [
        "POST /v1/chat/completions HTTP/1.1",
        "Host: x",
        `Authorization: Bearer ${secret}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`
      ]
      const pieces = [[...head, "", body.slice(0, 10)].join("\r\n"), body.slice(10)]
      const [heard, { status }] = yield* Effect.all(
        [
          say(url, { pieces, pause: 500, answers: 1 }),
          Effect.delay(admin("DELETE", `/admin/keys/${id}`), "200 millis")
        ],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(refusals(heard), [401])
      assert.include(heard.raw, "revoked_api_key")
      assert.deepStrictEqual(yield* ledger, [])
    })
  )
})
