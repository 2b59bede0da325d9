/** A real server on this machine, reached as if it were somewhere on the internet: the name server and the last step are scripted. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isPublicAddress, makeFetch } from "../../../src/providers/transport/PublicFetch.ts"

const PUBLIC = "93.184.215.14"
const wanted = { maxBytes: 1_000, accepts: (type: string) => type.startsWith("image/") }

const served = Effect.fnUntraced(function* (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  names: { readonly [name: string]: ReadonlyArray<string> } = { "images.example": [PUBLIC] }
) {
  const server = createServer(answer)
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const { port } = server.address() as AddressInfo
  const asked: Array<string> = []
  const dialled: Array<string> = []
  const fetch = makeFetch({
    resolve: (name) => {
      asked.push(name)
      const addresses = names[name]
      return addresses === undefined ? Promise.reject(new Error(`ENOTFOUND ${name}`)) : Promise.resolve(addresses)
    },
    dial: (address) => {
      dialled.push(address)
      return "127.0.0.1"
    }
  })
  const why = (url: string) => Effect.map(Effect.flip(fetch(url, wanted)), ({ message }) => message)
  return { asked, dialled, fetch, port, why }
})

const image = (_: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(200, { "content-type": "Image/PNG; charset=x" }).end("bytes")

describe("PublicFetch", () => {
  it.live("gets the bytes from the address that was checked, and sends nothing of its own", () =>
    Effect.gen(function* () {
      let seen: IncomingMessage["headers"] = {}
      const { asked, dialled, fetch, port } = yield* served((request, response) => {
        seen = request.headers
        image(request, response)
      })
      const { bytes, mediaType } = yield* fetch(`http://images.example:${port}/a.png`, wanted)
      assert.deepStrictEqual([bytes.toString(), mediaType], ["bytes", "image/png"])
      assert.deepStrictEqual([asked, dialled], [["images.example"], [PUBLIC]])
      assert.strictEqual(seen.host, `images.example:${port}`)
      assert.isUndefined(seen.authorization)
      assert.isUndefined(seen.cookie)
    })
  )

  it.live("goes to no address inside, however it is written or named", () =>
    Effect.gen(function* () {
      let reached = 0
      const names = {
        "inside.example": ["10.0.0.1"],
        "both.example": [PUBLIC, "127.0.0.1"],
        "metadata.example": ["169.254.169.254"],
        "mapped.example": ["::ffff:127.0.0.1"],
        "six.example": ["fd00::1"],
        "empty.example": [],
        "odd.example": ["not-an-address"]
      }
      const { dialled, port, why } = yield* served((_, response) => {
        reached++
        response.end()
      }, names)
      const hosts = [
        ...Object.keys(names),
        "nowhere.example",
        "localhost",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "１２７.0.0.1",
        "0",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "224.0.0.1",
        "255.255.255.255",
        "[::]",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "[ff02::1]"
      ]
      for (const host of hosts)
        assert.strictEqual(yield* why(`http://${host}:${port}/`), "is at no public address", host)
      assert.deepStrictEqual([dialled, reached], [[], 0])
    })
  )

  it.live("takes http and https URLs only, without credentials", () =>
    Effect.gen(function* () {
      const { why } = yield* served(image)
      for (const url of [
        "file:///etc/passwd",
        "ftp://images.example/",
        "gopher://images.example/",
        "data:,x",
        "//x",
        "",
        "http://"
      ]) {
        assert.strictEqual(yield* why(url), "is no http or https URL", url)
      }
      assert.strictEqual(yield* why("http://user:pass@images.example/"), "holds a user name or password")
    })
  )

  it.live("follows redirects, each checked like a URL of its own, three at most", () =>
    Effect.gen(function* () {
      const { asked, fetch, port, why } = yield* served(
        (request, response) => {
          const [, kind, count = "0"] = /^\/(\w+)\/?(\d*)/.exec(request.url ?? "") ?? []
          if (kind === "image") return image(request, response)
          const to =
            kind === "inside"
              ? "http://inside.example/"
              : kind === "file"
                ? "file:///etc/passwd"
                : kind === "broken"
                  ? "http://["
                  : Number(count) > 1
                    ? `/hop/${Number(count) - 1}`
                    : `//other.example:${port}/image`
          response.writeHead(302, { location: to }).end()
        },
        { "images.example": [PUBLIC], "other.example": ["8.8.8.8"], "inside.example": ["127.0.0.1"] }
      )
      const start = `http://images.example:${port}`
      assert.strictEqual((yield* fetch(`${start}/hop/3`, wanted)).bytes.toString(), "bytes")
      assert.deepStrictEqual(asked, ["images.example", "images.example", "images.example", "other.example"])
      assert.strictEqual(yield* why(`${start}/hop/4`), "was redirected more than 3 times")
      assert.strictEqual(yield* why(`${start}/inside`), "is at no public address")
      assert.strictEqual(yield* why(`${start}/file`), "is no http or https URL")
      assert.strictEqual(yield* why(`${start}/broken`), "was redirected to something that is no URL")
    })
  )

  it.live("takes what was asked for: a whole image, uncompressed, not too large", () =>
    Effect.gen(function* () {
      const { port, why } = yield* served((request, response) => {
        const type = { "content-type": "image/png" }
        switch (request.url) {
          case "/html":
            return void response.writeHead(200, { "content-type": "text/html" }).end("<img>")
          case "/none":
            return void response.writeHead(200).end("x")
          case "/gzip":
            return void response.writeHead(200, { ...type, "content-encoding": "gzip" }).end("x")
          case "/announced":
            return void response.writeHead(200, { ...type, "content-length": 1_001 }).end("x".repeat(1_001))
          case "/endless": {
            response.writeHead(200, type)
            const more = (): void =>
              void (response.write("x".repeat(500)) ? setImmediate(more) : response.once("drain", more))
            return more()
          }
          case "/cut":
            response.writeHead(200, { ...type, "content-length": 100 }).write("x")
            return void setTimeout(() => response.destroy(), 20)
          default:
            return void response.writeHead(404).end()
        }
      })
      for (const [path, reason] of [
        ["html", "is not of a media type that is wanted here"],
        ["none", "is not of a media type that is wanted here"],
        ["gzip", "is compressed, which was not requested"],
        ["announced", "is larger than 0 KiB"],
        ["endless", "is larger than 0 KiB"],
        ["cut", "could not be fetched"],
        ["missing", "responds with status 404"]
      ] as const) {
        assert.strictEqual(yield* why(`http://images.example:${port}/${path}`), reason)
      }
    })
  )

  it.live("closes its connection when nobody waits any more", () =>
    Effect.gen(function* () {
      let closed = () => {}
      const gone = new Promise<void>((resolve) => (closed = resolve))
      let here = () => {}
      const arrived = new Promise<void>((resolve) => (here = resolve))
      const { fetch, port } = yield* served((request) => {
        request.socket.once("close", closed)
        here()
      })
      const fiber = yield* Effect.forkChild(fetch(`http://images.example:${port}/slow`, wanted))
      yield* Effect.promise(() => arrived)
      fiber.interruptUnsafe()
      yield* Effect.promise(() => gone)
    })
  )
})

describe("isPublicAddress", () => {
  it("knows what belongs to the public internet", () => {
    for (const address of [
      PUBLIC,
      "1.1.1.1",
      "172.32.0.1",
      "100.128.0.1",
      "223.255.255.255",
      "2606:4700::1",
      "2a00:1450::1"
    ]) {
      assert.isTrue(isPublicAddress(address), address)
    }
    for (const address of [
      "",
      "x",
      "1.2.3",
      "168.63.129.16",
      "192.0.2.1",
      "198.18.0.1",
      "203.0.113.1",
      "240.0.0.1",
      "::",
      "::ffff:1.1.1.1",
      "::1.1.1.1",
      "64:ff9b::1.1.1.1",
      "2001:db8::1",
      "2001::1",
      "2002:101:101::",
      "fc00::1",
      "fe80::1%eth0",
      "ff0e::1",
      "100::1",
      "3fff::1"
    ]) {
      assert.isFalse(isPublicAddress(address), address)
    }
  })
})
