/** How the gateway serves the dashboard, asked without a browser. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { serve, type Served } from "./support/Opened.ts"

const SCRIPT = /src="([^"]+\.js)"/
const STYLE = /href="([^"]+\.css)"/

describe("/ui", () => {
  let served: Served
  beforeAll(async () => {
    served = await serve("/gw")
  })
  afterAll(() => served.stop())

  it("is where browsers are led", async () => {
    const answer = await fetch(`${served.url}/`, { headers: { accept: "text/html" }, redirect: "manual" })
    assert.deepStrictEqual([answer.status, answer.headers.get("location")], [302, "ui/"])
  })

  it("is the same shell at every path, with nothing inline and nothing from elsewhere", async () => {
    const shells = await Promise.all(
      ["/ui", "/ui/", "/ui/requests/rcpt_1"].map(async (path) => {
        const answer = await fetch(served.url + path)
        assert.strictEqual(answer.status, 200, path)
        assert.strictEqual(answer.headers.get("cache-control"), "no-cache")
        const policy = answer.headers.get("content-security-policy") ?? ""
        assert.include(policy, "default-src 'none'; script-src 'self'; style-src 'self';")
        assert.include(policy, "require-trusted-types-for 'script'")
        assert.notInclude(policy, "unsafe")
        return answer.text()
      })
    )
    assert.strictEqual(new Set(shells).size, 1)
    assert.notMatch(shells[0] ?? "", /https?:|<style|<script(?![^>]* src=)| style=| on\w+=/)
  })

  it("sends what a shell names once, compressed, and under the path that browsers see", async () => {
    const shell = await (await fetch(`${served.url}/ui/`)).text()
    for (const pattern of [SCRIPT, STYLE]) {
      const path = pattern.exec(shell)?.[1] ?? ""
      assert.match(path, /^\/gw\/ui\/assets\//)
      const answer = await fetch(new URL(path, served.url), { headers: { "accept-encoding": "gzip" } })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("content-encoding"), "gzip")
      assert.include(answer.headers.get("cache-control") ?? "", "immutable")
    }
  })

  it("says that an asset of an older build is gone, and reads no other file", async () => {
    for (const path of ["assets/index-00000000.js", "assets/..%2f.sources", "assets/%2e%2e/index.html"]) {
      const answer = await fetch(`${served.gateway.url}/ui/${path}`)
      const text = await answer.text()
      assert.isTrue(answer.status === 404 || text.startsWith("<!doctype html>"), `${path}: ${answer.status}`)
    }
  })
})
