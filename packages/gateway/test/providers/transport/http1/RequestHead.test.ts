import { assert, describe, it } from "@effect/vitest"
import { requestHead } from "../../../../src/providers/transport/http1/RequestHead.ts"

const head = (path: string, headers: { readonly [name: string]: string }, length?: number) =>
  requestHead("api.example.com", path, { headers }, length)

describe("requestHead", () => {
  it("says who is asked, how long the body is, and what it was given, a character for each byte", () => {
    assert.deepStrictEqual(head("/v1/a?b=c", { authorization: "Bearer k", "X-Name": "caf\u00e9\t" }, 12), {
      head: [
        "POST /v1/a?b=c HTTP/1.1",
        "host: api.example.com",
        "connection: keep-alive",
        "accept-encoding: identity",
        "authorization: Bearer k",
        "X-Name: caf\u00e9\t",
        "content-length: 12",
        "",
        ""
      ].join("\r\n")
    })
    const get = requestHead("a:1", "/", { headers: {}, method: "GET" }, undefined)
    assert.deepStrictEqual(get, {
      head: "GET / HTTP/1.1\r\nhost: a:1\r\nconnection: keep-alive\r\naccept-encoding: identity\r\n\r\n"
    })
  })

  it("lets nobody say what only the connection's two ends may say", () => {
    const own = {
      Host: "elsewhere",
      "Content-Length": "1",
      "Transfer-Encoding": "chunked",
      Connection: "close",
      "Keep-Alive": "timeout=1",
      Upgrade: "h2c",
      Expect: "100-continue",
      TE: "trailers",
      Trailer: "x",
      "Accept-Encoding": "gzip",
      "Proxy-Connection": "close"
    }
    assert.deepStrictEqual(head("/", own, 0), head("/", {}, 0))
  })

  it("refuses what would begin another header, or another request, and keeps values to itself", () => {
    for (const bad of ["a\r\nb: c", "a\nb", "a\rb", "a\0b", "\u{1f511}", "a\u007f"]) {
      assert.deepStrictEqual(head("/", { "x-key": bad }), {
        flaw: "header x-key has a character that no header can have"
      })
      assert.property(head("/", { [bad]: "v" }), "flaw")
    }
    for (const name of ["", "a b", "a:", "(a)"]) assert.property(head("/", { [name]: "v" }), "flaw")
    for (const path of ["", "v1", "/a b", "/a\r\nx: y", "/a HTTP/1.1\r\n\r\nGET /b", "/\u{1f511}"]) {
      assert.property(head(path, {}), "flaw", path)
    }
  })
})
