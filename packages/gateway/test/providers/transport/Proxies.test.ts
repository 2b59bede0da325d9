/** Proxies and certificates, with real sockets: what goes through, what does not, and what is said of a proxy that fails. */
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, request as httpRequest } from "node:http"
import { createServer as createSecureServer } from "node:https"
import * as net from "node:net"
import { join } from "node:path"
import type { Duplex } from "node:stream"
import * as tls from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { type Transport, transportBy } from "../../../src/core/pool/Transport.ts"
import type { UpstreamConnection } from "../../../src/core/domain/Connection.ts"
import { HttpTransport } from "../../../src/providers/transport/HttpTransport.ts"
import { certificate, certificates } from "../../support/Certificates.ts"
import { listen, post, serve } from "./Loopback.ts"

const read = (name: string) => readFileSync(join(certificates, name), "utf8")
const authority = certificate("authority")

/** A transport in an environment with these variables. */
const transportIn = (variables: Readonly<Record<string, string>> = {}) =>
  HttpTransport.make.pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(variables))))

const failureOf = (transport: Transport["Service"], baseUrl: string) =>
  Effect.flip(transport.whole(post(baseUrl, { connect: 2_000 })))

const through = (proxy: string): UpstreamConnection => ({ proxy: Redacted.make(proxy) })

interface Seen {
  /** `CONNECT host:port`, or the method and the whole address. */
  readonly line: string
  readonly credentials: string | undefined
}

interface ProxyBehaviour {
  /** Where connections go, whatever host was asked for. */
  readonly port?: number
  /** Refuses with this status. */
  readonly status?: number
  /** What it does instead of connecting. */
  readonly instead?: (socket: Duplex) => void
  readonly secure?: "server" | "elsewhere"
}

/** A proxy that notes what it was asked. */
const serveProxy = ({ instead, port = 0, secure, status }: ProxyBehaviour) =>
  Effect.suspend(() => {
    const seen: Array<Seen> = []
    const note = (line: string, { headers }: IncomingMessage) =>
      seen.push({ line, credentials: headers["proxy-authorization"] })
    const options = secure === undefined ? {} : { key: read("server.key"), cert: read(`${secure}.pem`) }
    const server = secure === undefined ? createServer() : createSecureServer(options)
    server.on("request", (incoming, response) => {
      note(`${incoming.method} ${incoming.url}`, incoming)
      if (status !== undefined) return void response.writeHead(status).end("the proxy says no")
      const { headers, method, url } = incoming
      const path = URL.parse(url ?? "")?.pathname ?? "/"
      incoming.pipe(
        httpRequest({ port, path, method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(response)
        })
      )
    })
    server.on("connect", (incoming, socket) => {
      note(`CONNECT ${incoming.url}`, incoming)
      socket.on("error", () => socket.destroy())
      if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
      if (instead !== undefined) return instead(socket)
      const target = net.connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
        socket.pipe(target)
        target.pipe(socket)
      })
      target.on("error", () => socket.destroy())
      socket.on("close", () => target.destroy())
    })
    return Effect.map(listen(server), (loopback) => ({ ...loopback, seen }))
  })

const serveOk = serve((request, response) => {
  request.resume()
  response.end(`for ${request.headers.host}`)
})

/** `client`: the response names the client certificate. */
const serveSecure = (options: tls.TlsOptions = {}) =>
  Effect.suspend(() => {
    const server = createSecureServer({ key: read("server.key"), cert: read("server.pem"), ...options })
    server.on("request", (request, response) => {
      request.resume()
      const peer = (request.socket as tls.TLSSocket).getPeerCertificate()
      response.end(`client ${peer?.serialNumber ?? "unknown"}`)
    })
    return listen(server)
  })

describe("a proxy of the environment", () => {
  it.live("takes the calls of plain addresses, with its own credentials", () =>
    Effect.gen(function* () {
      const upstream = yield* serveOk
      const proxy = yield* serveProxy({ port: upstream.port })
      const transport = yield* transportIn({ HTTP_PROXY: `http://me:s%20cret@127.0.0.1:${proxy.port}` })
      const answer = yield* transport.whole(post("http://api.example.com/v1"))
      assert.strictEqual(answer.text, "for api.example.com")
      assert.deepStrictEqual(proxy.seen, [
        {
          line: "POST http://api.example.com/v1/chat/completions",
          credentials: `Basic ${Buffer.from("me:s cret").toString("base64")}`
        }
      ])
    })
  )

  it.live("makes a tunnel to secure ones, and HTTP_PROXY stands for HTTPS_PROXY where that is not set", () =>
    Effect.gen(function* () {
      const upstream = yield* serveSecure()
      const proxy = yield* serveProxy({ port: upstream.port })
      for (const name of ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY"]) {
        const environment = yield* transportIn({ [name]: `http://127.0.0.1:${proxy.port}` })
        const transport = transportBy({ tls: { ca: authority } }, environment)
        // The certificate is good for this name and no other.
        const failure = yield* failureOf(transport, "https://api.example.com/v1")
        assert.match(
          failure.message,
          /^https:\/\/api\.example\.com has a certificate that can't be trusted: .*altnames.*\(through the proxy http:/
        )
        assert.strictEqual(proxy.seen.pop()?.line, "CONNECT api.example.com:443")
      }
    })
  )

  it.live("is not asked for the hosts of NO_PROXY, nor for this machine", () =>
    Effect.gen(function* () {
      const upstream = yield* serveOk
      const proxy = yield* serveProxy({ port: upstream.port })
      const transport = yield* transportIn({
        HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
        NO_PROXY: "no-such-host.invalid, other.example"
      })
      assert.strictEqual((yield* transport.whole(post(upstream.baseUrl))).status, 200)
      assert.strictEqual((yield* transport.whole(post(`http://localhost:${upstream.port}/v1`))).status, 200)
      const { message } = yield* failureOf(transport, "http://no-such-host.invalid/v1")
      assert.include(message, "its name does not resolve")
      assert.deepStrictEqual(proxy.seen, [])
    })
  )
})

describe("the proxy of a provider", () => {
  it.live("takes its calls, whatever the environment says, and those of no other provider", () =>
    Effect.gen(function* () {
      const upstream = yield* serveOk
      const proxy = yield* serveProxy({ port: upstream.port })
      const transport = yield* transportIn({ HTTP_PROXY: "http://127.0.0.1:1", NO_PROXY: "*" })
      const own = transportBy(through(`http://127.0.0.1:${proxy.port}`), transport)
      assert.strictEqual((yield* own.whole(post(upstream.baseUrl))).status, 200)
      assert.strictEqual(proxy.seen.length, 1)
      assert.strictEqual((yield* transport.whole(post(upstream.baseUrl))).status, 200)
      assert.strictEqual(proxy.seen.length, 1)
    })
  )

  it.live("may itself be reached over TLS, by an authority of the provider's configuration", () =>
    Effect.gen(function* () {
      const upstream = yield* serveSecure()
      const proxy = yield* serveProxy({ port: upstream.port, secure: "server" })
      const connection = { ...through(`https://localhost:${proxy.port}`), tls: { ca: authority } }
      const transport = transportBy(connection, yield* transportIn())
      const answer = yield* transport.whole(post(`https://localhost:${upstream.port}/v1`))
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(
        proxy.seen.map(({ line }) => line),
        [`CONNECT localhost:${upstream.port}`]
      )
    })
  )

  it.live("that fails is named in one sentence", () =>
    Effect.gen(function* () {
      const upstream = yield* serveOk
      const secure = `https://127.0.0.1:${upstream.port}`
      const plain = `http://127.0.0.1:${upstream.port}`
      const environment = yield* transportIn()
      const said = Effect.fnUntraced(function* (proxy: string, baseUrl: string) {
        const { kind, message } = yield* failureOf(transportBy(through(proxy), environment), baseUrl)
        assert.strictEqual(kind, "refused", message)
        assert.notInclude(message, "\n")
        assert.notInclude(message, "s3cret")
        return message
      })
      for (const [target, forwarded] of [
        [secure, false],
        [plain, true]
      ] as const) {
        assert.strictEqual(
          yield* said("http://127.0.0.1:1", target),
          `${target} can't be called: the proxy http://127.0.0.1:1 refused the connection (ECONNREFUSED)`
        )
        assert.match(
          yield* said("http://no-such-host.invalid:3128", target),
          /can't be called: the proxy http:\/\/no-such-host\.invalid:3128 can't be reached: its name does not resolve/
        )
        const credentials = yield* serveProxy({ status: 407 })
        for (const user of ["", "me:s3cret@"]) {
          assert.strictEqual(
            yield* said(`http://${user}127.0.0.1:${credentials.port}`, target),
            `${target} can't be called: the proxy http://127.0.0.1:${credentials.port} wants other credentials (407); write them into its address: http://user:password@host:port`
          )
        }
        const unknown = yield* serveProxy({ secure: "server" })
        assert.match(
          yield* said(`https://localhost:${unknown.port}`, target),
          /can't be called: the proxy https:\/\/localhost:\d+ has a certificate that can't be trusted: .* \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)$/
        )
        const misnamed = yield* serveProxy({ secure: "elsewhere" })
        const trusted = transportBy(
          { ...through(`https://localhost:${misnamed.port}`), tls: { ca: authority } },
          environment
        )
        assert.match((yield* failureOf(trusted, target)).message, /the proxy https:\/\/localhost:\d+ has a certificate/)
        const noTls = yield* serveProxy({})
        assert.match(
          yield* said(`https://localhost:${noTls.port}`, target),
          /can't be called: the proxy https:\/\/localhost:\d+ does not speak TLS/
        )
        if (forwarded) continue
        const forbidding = yield* serveProxy({ status: 403 })
        assert.match(
          yield* said(`http://127.0.0.1:${forbidding.port}`, target),
          /can't be called: the proxy http:\/\/127\.0\.0\.1:\d+ refused to connect, with status 403$/
        )
        const leaving = yield* serveProxy({ instead: (socket) => socket.destroy() })
        assert.match(
          yield* said(`http://127.0.0.1:${leaving.port}`, target),
          /can't be called: the proxy http:\/\/127\.0\.0\.1:\d+ broke the connection$/
        )
        const garbled = yield* serveProxy({
          instead: (socket) =>
            socket.write("HTTP/1.1 200 OK\r\n\r\n", () => setTimeout(() => socket.write("no TLS"), 5))
        })
        assert.match(
          yield* said(`http://127.0.0.1:${garbled.port}`, target),
          /does not speak TLS, or no version of it that we do \(through the proxy http:\/\/127\.0\.0\.1:\d+\) \(/
        )
        const half = yield* serveProxy({
          instead: (socket) => socket.write("HTTP/1.1 200 OK\r\n\r\n", () => setTimeout(() => socket.destroy(), 5))
        })
        assert.match(
          yield* said(`http://127.0.0.1:${half.port}`, target),
          /broke the connection while it was being made \(through the proxy http:\/\/127\.0\.0\.1:\d+\)/
        )
      }
    })
  )

  it.live("that reads the traffic is trusted by its authority in tls.ca, and named where it is not", () =>
    Effect.gen(function* () {
      const reader = yield* serveSecure()
      const proxy = yield* serveProxy({ port: reader.port })
      const environment = yield* transportIn()
      const connection = through(`http://127.0.0.1:${proxy.port}`)
      const { message } = yield* failureOf(transportBy(connection, environment), "https://localhost/v1")
      assert.match(
        message,
        /^https:\/\/localhost has a certificate that can't be trusted: .* \(through the proxy http:\/\/127\.0\.0\.1:\d+\) \(/
      )
      const trusting = transportBy({ ...connection, tls: { ca: authority } }, environment)
      assert.strictEqual((yield* trusting.whole(post("https://localhost/v1"))).status, 200)
    })
  )
})

describe("the certificates of a provider", () => {
  it.live("add an authority to those that are trusted", () =>
    Effect.gen(function* () {
      const upstream = yield* serveSecure()
      const transport = yield* transportIn()
      const baseUrl = `https://localhost:${upstream.port}/v1`
      assert.match((yield* failureOf(transport, baseUrl)).message, /has a certificate that can't be trusted/)
      assert.strictEqual((yield* transportBy({ tls: { ca: authority } }, transport).whole(post(baseUrl))).status, 200)
      const stranger = transportBy({ tls: { ca: certificate("stranger") } }, transport)
      assert.match((yield* failureOf(stranger, baseUrl)).message, /has a certificate that can't be trusted/)
    })
  )

  it.live("show a server that asks for one who calls", () =>
    Effect.gen(function* () {
      const upstream = yield* serveSecure({ requestCert: true, ca: authority, maxVersion: "TLSv1.2" })
      const transport = yield* transportIn()
      const baseUrl = `https://localhost:${upstream.port}/v1`
      const nameless = transportBy({ tls: { ca: authority } }, transport)
      const failure = yield* failureOf(nameless, baseUrl)
      assert.match(
        failure.message,
        /refused the TLS handshake: it may want a client certificate \(tls\.cert and tls\.key\)/
      )
      const cert = read("server.pem")
      const named = { ca: authority, cert, key: Redacted.make(read("server.key")) }
      const answer = yield* transportBy({ tls: named }, transport).whole(post(baseUrl))
      assert.match(answer.text, /^client [0-9A-F]+$/)
    })
  )
})
