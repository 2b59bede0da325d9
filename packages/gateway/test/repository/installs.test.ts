/** Nothing is published yet: every document that says how to install a package says how to do it from a clone, and that is what there is. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { allDocuments, readDocument, root } from "../support/DocumentFiles.ts"

/** A registry's name of a package of this repository, after the command that installs it. */
const fromRegistry =
  /(?:(?:npm (?:i|install|add)|pip install|uv add) [^`\n]*?(?:@model-gateway\/[a-z]+|model-gateway-client|langchain-model-gateway)\b(?!-\d)|npx model-gateway)/

const documents = allDocuments.filter((name) => fromRegistry.test(readDocument(name)))

const fromClone = (text: string) => ({
  packed: Array.from(text.matchAll(/npm pack -w (\S+) --pack-destination \/tmp/g), ([, name = ""]) => name),
  folders: Array.from(text.matchAll(/pip install ((?:\.\/packages\/\S+ ?)+)/g), ([, names = ""]) =>
    names.trim().split(" ")
  ).flat()
})

describe("documents that install a package", () => {
  it("are known", () => {
    assert.isAbove(documents.length, 5)
  })

  for (const name of documents) {
    it(`${name} says that it is not published yet, and how to install it from a clone`, () => {
      const text = readDocument(name)
      for (const paragraph of text.split(/\n\n+/).filter((one) => fromRegistry.test(one))) {
        assert.match(paragraph, /first\s+release|once (?:it is|the\s+packages are) published/i, `${name}: ${paragraph}`)
      }
      assert.match(text, /\bclone\b/, name)
    })
  }

  for (const name of allDocuments) {
    const { folders, packed } = fromClone(readDocument(name))
    for (const one of packed) {
      it(`${name} packs ${one}, which can be packed, under the name that it installs`, () => {
        const folder = join(root, "packages", one.replace("@model-gateway/", ""))
        const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
        assert.strictEqual(manifest.name, one)
        assert.isString(manifest.scripts.prepack)
        const file = `${one.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`
        assert.include(readDocument(name), `npm install /tmp/${file}`)
      })
    }
    for (const one of folders) {
      it(`${name} installs ${one}, which is a package of Python`, () => {
        assert.isTrue(existsSync(join(root, one, "pyproject.toml")))
      })
    }
  }
})
