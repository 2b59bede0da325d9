import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parse, problemsOf, withBasics } from "./Support.ts"

const content = (text: string) => withBasics(`content:\n${text.replaceAll(/^/gm, "  ")}`)

const files = "sinks: { a: { kind: jsonl, folder: logs } }"

describe("content logs in the configuration", () => {
  it("are off without a sink", () => {
    assert.isUndefined(Result.getOrThrow(parse(withBasics(""))).content)
    assert.isUndefined(Result.getOrThrow(parse(content("default: full"))).content)
  })

  it("log nothing by default, with a folder beside the file", () => {
    const { content: read } = Result.getOrThrow(parse(content(files)))
    assert.deepInclude(read, { default: "none", max: "full", mostCharacters: 262_144, queueBytes: 67_108_864 })
    assert.deepStrictEqual(read?.sinks, [
      { name: "a", kind: "jsonl", folder: "logs", rotateMs: 3_600_000, keepMs: 2_592_000_000 }
    ])
  })

  it.each([
    ["default: all", '"all" is not a level of content (allowed: none, metadata, full)'],
    ["sinks: { a: { kind: s3 } }", '"s3" is not a kind of sink (allowed: otlp, jsonl)'],
    ["sinks: { a: { kind: jsonl } }", '"folder" is required: a folder for the files'],
    ["sinks: { a: { kind: otlp } }", '"url" is required: the address of a collector'],
    ["sinks: { a: { kind: otlp, url: nowhere } }", "this is no address"],
    ["sinks: { a: { kind: jsonl, folder: b, keep: 30 } }", "30 has no unit"],
    [`redact: [pii]\n${files}`, '"pii" is not the name of a check (there is none)'],
    [
      "sinks: { a: { kind: otlp, url: 'https://a.example', headers: { x: \"a\\nb\" } } }",
      "this is not the value of a header"
    ]
  ])("are refused with a sentence for %j", (text, sentence) => {
    const problems = problemsOf(content(text))
    assert.isTrue(
      problems.some((problem) => problem.includes(sentence) && /^gateway\.yaml:\d+:\d+ content\./.test(problem)),
      JSON.stringify(problems)
    )
  })
})
