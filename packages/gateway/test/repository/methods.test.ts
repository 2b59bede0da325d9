import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { readSources } from "../../../../scripts/check-imports.ts"

const CLASS = /\bclass \w+(?:<[^>{]*>)?(?: extends [^{]*?)? implements ([^{]*)\{([^]*?)^\}/gm
const INTERFACE = /^(?:export )?interface (\w+)[^\n]*\{\n([^]*?)^\}/gm
const FUNCTION_FIELD = /^ {2}readonly (\w+)\??: (?:<[^>]*>)?\(.*=>/gm
const METHOD = /^ {2}(?:override )?(\w+)(?:<[^>]*>)?\(/gm

/** The names of functions that an interface declares as fields and a class implements as methods, as `Class: name`. */
const unseen = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const fields = new Map<string, ReadonlySet<string>>()
  for (const text of texts) {
    for (const [, name, body] of text.matchAll(INTERFACE)) {
      fields.set(name!, new Set([...body!.matchAll(FUNCTION_FIELD)].map(([, field]) => field!)))
    }
  }
  return texts.flatMap((text) =>
    [...text.matchAll(CLASS)].flatMap(([, interfaces, body]) => {
      const methods = [...body!.matchAll(METHOD)].map(([, method]) => method!)
      return interfaces!
        .split(/[^\w]+/)
        .flatMap((name) =>
          methods.filter((method) => fields.get(name)?.has(method)).map((method) => `${name}.${method}`)
        )
    })
  )
}

describe("an interface that a class implements", () => {
  it("declares methods as methods, or the lint rule typescript/unbound-method does not see them", () => {
    const sources = readSources(join(import.meta.dirname, "..", "..", "..", ".."))
    assert.deepStrictEqual(unseen(sources.map(({ text }) => text)), [])
    const bad =
      "interface File {\n  readonly pieces: () => string\n}\nclass Held implements File {\n  pieces(): string {}\n}\n"
    assert.deepStrictEqual(unseen([bad]), ["File.pieces"])
  })
})
