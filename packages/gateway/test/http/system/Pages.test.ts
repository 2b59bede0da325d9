import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startAdmin } from "../AdminClient.ts"
import { readDocument, servedDocuments } from "../../support/DocumentFiles.ts"
import { call } from "../../support/RawHttp.ts"
import { demoYaml, startGateway } from "../../support/RunningGateway.ts"

describe("the page of the API", () => {
  it.effect("runs scripts of this server only, and loads nothing from elsewhere", () =>
    Effect.gen(function* () {
      const { bare } = yield* startAdmin
      const page = yield* bare("GET", "/docs")
      assert.strictEqual(page.headers["content-type"], "text/html; charset=utf-8")
      const policy = page.headers["content-security-policy"] ?? ""
      assert.include(policy, "default-src 'none'; script-src 'self';")
      assert.strictEqual(page.headers["x-content-type-options"], "nosniff")
      assert.include(page.text, `<html lang="en">`)
      assert.notMatch(page.text, /<script>|https?:/)
      const named = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? "")
      assert.includeMembers(named, ["docs/reference.js", "docs/start.js", "docs/style.css", "openapi.json"])
      // Relative, so that they also hold behind a proxy that adds a prefix.
      for (const path of named) assert.strictEqual((yield* bare("GET", `/${path}`)).status, 200, path)
    })
  )

  it.effect("sends its script compressed where that is taken, and once", () =>
    Effect.gen(function* () {
      const { bare } = yield* startAdmin
      const ask = (headers: Record<string, string>) => bare("GET", "/docs/reference.js", headers)
      const plain = yield* ask({})
      assert.include(plain.text, "createApiReference")
      assert.isUndefined(plain.headers["content-encoding"])
      for (const [accept, encoding] of [
        ["gzip, deflate, br", "br"],
        ["gzip", "gzip"],
        ["br;q=0.5, gzip;q=0", "br"],
        ["br;q=0", undefined],
        ["identity", undefined]
      ] as const) {
        const answer = yield* ask({ "accept-encoding": accept })
        assert.strictEqual(answer.headers["content-encoding"], encoding, accept)
        assert.strictEqual(answer.headers["vary"], "accept-encoding")
        if (encoding !== undefined) assert.isBelow(Number(answer.headers["content-length"]), 900_000)
      }
      const again = yield* ask({ "if-none-match": plain.headers["etag"] ?? "" })
      assert.deepStrictEqual([again.status, again.text], [304, ""])
    })
  )
})

describe("the documents", () => {
  it.effect("are served as they are, and all of them at /llms.txt and /llms-full.txt", () =>
    Effect.gen(function* () {
      const { bare } = yield* startAdmin
      const overview = yield* bare("GET", "/llms.txt")
      assert.strictEqual(overview.headers["content-type"], "text/plain; charset=utf-8")
      assert.match(overview.text, /^# Model Gateway\n\n> /)
      const links = [...overview.text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path]) => path ?? "")
      assert.sameMembers(links, [...servedDocuments, "openapi.json", "llms-full.txt"])
      for (const path of links) assert.strictEqual((yield* bare("GET", `/${path}`)).status, 200, path)
      const whole = yield* bare("GET", "/llms-full.txt")
      for (const name of servedDocuments) {
        const text = readDocument(name)
        assert.strictEqual((yield* bare("GET", `/${name}`)).text, text)
        assert.include(whole.text, text.trim(), name)
      }
      assert.strictEqual((yield* bare("GET", "/docs/nothing.md")).status, 404)
    })
  )
})

describe("the root", () => {
  it.effect("leads a browser to a page and tells a program what this is", () =>
    Effect.gen(function* () {
      const { bare } = yield* startAdmin
      const browsers = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
      const bald = yield* startGateway({ yaml: `${demoYaml}server: { ui: false }` })
      const browser = yield* call(bald.url, { method: "GET", path: "/", headers: browsers })
      assert.deepStrictEqual([browser.status, browser.headers["location"]], [302, "docs"])
      assert.strictEqual((yield* call(bald.url, { method: "GET", path: "/ui/" })).status, 404)
      const program = yield* bare("GET", "/", { accept: "*/*" })
      assert.strictEqual(program.status, 200)
      assert.strictEqual(program.json.name, "model-gateway")
      for (const path of Object.values(program.json.links).filter((path) => path !== "/v1")) {
        assert.strictEqual((yield* bare("GET", String(path))).status, 200)
      }
    })
  )

  it.effect("has an icon", () =>
    Effect.gen(function* () {
      const { bare } = yield* startAdmin
      const icon = yield* bare("GET", "/favicon.ico")
      assert.deepStrictEqual([icon.status, icon.headers["content-type"]], [200, "image/svg+xml"])
      assert.match(icon.text, /^<svg /)
    })
  )
})
