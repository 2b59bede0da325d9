/** Every link of the documents leads somewhere: to a file that there is, and to a heading or an anchor in it. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { slugOf } from "../../../../site/build/Slug.ts"
import { allDocuments, root } from "../support/DocumentFiles.ts"

const withoutCode = (text: string): string => text.replaceAll(/^```[^]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "")

const anchorsOf = (file: string): ReadonlySet<string> => {
  const text = readFileSync(file, "utf8").replaceAll(/^```[^]*?^```/gm, "")
  const headings = Array.from(text.matchAll(/^#{1,6} (.+)$/gm), ([, heading]) => slugOf(heading ?? ""))
  const seen = new Map<string, number>()
  const numbered = headings.map((slug) => {
    const before = seen.get(slug) ?? 0
    seen.set(slug, before + 1)
    return before === 0 ? slug : `${slug}-${before}`
  })
  return new Set([...numbered, ...Array.from(text.matchAll(/<a id="([^"]+)">/g), ([, id]) => id ?? "")])
}

describe("the links of", () => {
  for (const name of allDocuments) {
    it(`${name} resolve`, () => {
      const file = join(root, name)
      const links = Array.from(
        withoutCode(readFileSync(file, "utf8")).matchAll(/\]\(([^)\s]+)\)/g),
        ([, link]) => link ?? ""
      )
      for (const link of links) {
        if (/^[a-z]+:/.test(link)) continue
        const [path = "", anchor] = link.split("#")
        const target = path === "" ? file : resolve(dirname(file), path)
        assert.isTrue(existsSync(target), `${link}: there is no ${relative(root, target)}`)
        if (anchor !== undefined && target.endsWith(".md")) assert.include([...anchorsOf(target)], anchor, link)
      }
    })
  }
})
