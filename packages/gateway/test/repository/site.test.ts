/** What the documents' site is made of; `npm run docs` builds it. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkBuilt } from "../../../../site/build/BuiltLinks.ts"
import { errorPages, navigation } from "../../../../site/build/Navigation.ts"
import { images, pages } from "../../../../site/build/Pages.ts"
import { allDocuments, root } from "../support/DocumentFiles.ts"

const bySource = new Map(pages().map((page) => [page.source, page]))

describe("the pages of the site", () => {
  it("are all documents", () => assert.sameMembers([...bySource.keys()], [...allDocuments]))

  it("link to each other, by title where the document says a file's name", () => {
    const readme = bySource.get("README.md")?.text ?? ""
    assert.include(readme, "[quick start](./docs/quick-start.md)")
    assert.include(readme, "[Documents by task](./docs/index.md)")
    assert.notMatch(readme, /\]\([^)]*\.ts\)/)
    assert.include(readme, "`core/call/Gateway.ts`")
    assert.include(bySource.get("docs/errors/price_unknown.md")?.text ?? "", "](../prices.md#what-has-no-price)")
    assert.include(bySource.get("docs/clients/native.md")?.text ?? "", "](../../packages/go/index.md)")
  })

  it("come with the pictures that they show, and those are there", () => {
    const shown = images([...bySource.values()])
    assert.isTrue(shown.has("docs/images/overview.png"))
    for (const image of shown) assert.isTrue(existsSync(join(root, image)), image)
  })

  it("keep what stands in code", () => {
    assert.include(bySource.get("docs/troubleshooting.md")?.text ?? "", "model-gateway router explain")
    for (const { path, text } of bySource.values()) assert.strictEqual((text.match(/^```/gm) ?? []).length % 2, 0, path)
  })
})

describe("the navigation", () => {
  const links = navigation().flatMap(({ items }) => items.map(({ link }) => link))

  it("leads to every document, and to no page twice", () => {
    const reached = new Set([...links.map((link) => link.split("#")[0]), ...errorPages().map(({ link }) => link)])
    for (const { path, source } of bySource.values()) {
      if (path === "index.md" || path === "docs/index.md" || source.startsWith("packages/")) continue
      assert.isTrue(reached.has(`/${path.replace(/\.md$/, ".html")}`), source)
    }
    assert.strictEqual(new Set(links).size, links.length)
  })

  it("has a group for each task", () => {
    const groups = navigation().map(({ text }) => text)
    assert.includeMembers(groups, [
      "Tutorial",
      "Keys and budgets",
      "Guarantees",
      "Run in production",
      "Clients",
      "API reference"
    ])
    for (const { items, text } of navigation()) assert.isAbove(items.length, 0, text)
  })
})

describe("the check of the built site", () => {
  it("finds links that lead nowhere and what is loaded from elsewhere", () => {
    const folder = mkdtempSync(join(tmpdir(), "model-gateway-site-"))
    try {
      writeFileSync(
        join(folder, "a.html"),
        `<a href="/b.html#here">b</a><a href="b.html#gone">c</a><a href="/d.html">d</a>`
      )
      writeFileSync(join(folder, "b.html"), `<h2 id="here">b</h2><script src="https://cdn.example.com/a.js"></script>`)
      assert.deepStrictEqual(checkBuilt(folder, "/"), {
        pages: 2,
        links: 3,
        broken: ["a.html: b.html#gone", "a.html: /d.html"],
        elsewhere: ["b.html: https://cdn.example.com/a.js"]
      })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
