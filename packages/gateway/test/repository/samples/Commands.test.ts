/** Commands that the documents name in a sentence: each is there, with each option that is named. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { invoke } from "../../../../model-gateway/test/Invoke.ts"
import { allDocuments, readDocument, root } from "../../support/DocumentFiles.ts"

interface Named {
  readonly document: string
  readonly words: ReadonlyArray<string>
}

/** What stands in code within a line, such as `model-gateway keys update key_… --rpm 120`. */
const named = (begin: RegExp): ReadonlyArray<Named> =>
  allDocuments.flatMap((document) =>
    Array.from(readDocument(document).matchAll(/`([^`\n]+)`/g), ([, code = ""]) => code)
      .filter((code) => begin.test(code))
      .map((code) => ({ document, words: code.replace(begin, "").split(/[\s=]+/) }))
  )

const helps = new Map<string, string>()

/** The help of a command and its arguments; undefined: a group of commands has none of that name. */
const helpOf = Effect.fnUntraced(function* (path: ReadonlyArray<string>) {
  const line = path.join(" ")
  const help = helps.get(line) ?? (yield* invoke([...path, "--help"], {})).stdout
  helps.set(line, help)
  const [, command = ""] = /^USAGE\n {2}model-gateway ([^\n]*)/m.exec(help) ?? []
  const known = command.split(/ ?[<[]/)[0] ?? ""
  return command.includes("<subcommand>") && known !== line ? undefined : help
})

describe("the documents", () => {
  it.effect("name no command and no option of it that there is not", () =>
    Effect.gen(function* () {
      const commands = named(/^(?:npx )?model-gateway (?!help\b)(?=[a-z])/)
      assert.isAbove(commands.length, 30)
      assert.isUndefined(yield* helpOf(["requests", "shw"]))
      for (const { document, words } of commands) {
        const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word))
        const path = words.slice(0, end === -1 ? words.length : end)
        const help = yield* helpOf(path)
        if (help === undefined) return assert.fail(`${document}: there is no model-gateway ${path.join(" ")}`)
        for (const option of words.filter((word) => /^--[a-z]/.test(word))) {
          assert.include(help, option.replace(/[^a-z-]+$/, ""), `${document}: model-gateway ${words.join(" ")}`)
        }
      }
    })
  )

  it("name no script of npm that there is not", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const found = named(/^npm run (?:-s )?/)
    assert.isAbove(found.length, 20)
    for (const { document, words } of found) assert.property(scripts, words[0] ?? "", document)
  })
})
