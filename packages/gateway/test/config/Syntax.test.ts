import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { Toml } from "effect/encoding"
import { Report } from "../../src/config/Problem.ts"
import { parseToml } from "../../src/config/tree/TomlTree.ts"
import type { TreeNode } from "../../src/config/tree/Tree.ts"
import { fixture, parse, problemsOf, withBasics } from "./Support.ts"

describe("YAML", () => {
  it("stops at the first mistake in the syntax, and says where", () => {
    assert.deepStrictEqual(problemsOf("a: 1\n\tb: 2"), ["gateway.yaml:2:1: tabs can't indent; use spaces"])
    assert.deepStrictEqual(problemsOf('a: "1\nb: 2'), [
      "gateway.yaml:2:5: something is missing here: a closing quote, a comma, a colon or the space after it"
    ])
    assert.deepStrictEqual(problemsOf("a: @b"), [
      "gateway.yaml:1:4: text that begins with a reserved character (@, `, %, |, >) needs quotes"
    ])
  })

  it("says that ${…} needs quotes inside brackets", () => {
    const [problem] = problemsOf("providers:\n  openai: { api_key: ${OPENAI_API_KEY} }")
    assert.strictEqual(
      problem,
      'gateway.yaml:2:23: something that does not belong here, perhaps a bracket or text that needs quotes; inside { } and [ ] write "${NAME}" with quotes'
    )
  })

  it("refuses a key that stands twice, and reads on", () => {
    assert.deepStrictEqual(problemsOf(withBasics("server: { port: 1, port: 2 }\nretries: 1")), [
      "gateway.yaml:4:20: this key stands in the same group twice",
      'gateway.yaml:5:1 retries: "retries" is not a field here (fields: server, master_key, store, receipts, responses, idempotency, providers, deployments, models, router, failover, guardrails, cache, catalogue, alerts, identity, logs)'
    ])
  })

  it("refuses a second document and tags", () => {
    assert.deepStrictEqual(problemsOf(withBasics("---\na: 1")), [
      "gateway.yaml:4:1: a second document begins here (---); the file must hold one"
    ])
    assert.deepStrictEqual(problemsOf(withBasics("server: { host: !secret x }")), [
      "gateway.yaml:4:17: tags (!) are not used in this file; text that begins with ! needs quotes"
    ])
  })

  it("follows aliases, but not into a bomb or a circle", () => {
    const shared = "models: { a: &list [demo/mini], b: *list }"
    assert.deepStrictEqual(Result.getOrThrow(parse(withBasics(shared))).models.get("b"), ["demo/mini"])

    const lines = Array.from({ length: 12 }, (_, i) => `x${i + 1}: &x${i + 1} [${Array(9).fill(`*x${i}`).join(", ")}]`)
    const bomb = problemsOf(["x0: &x0 [1]", ...lines].join("\n"))
    assert.lengthOf(
      bomb.filter((problem) => problem.includes("too large or too deep")),
      1
    )
    const circle = problemsOf(withBasics("models: &m { a: *m }"))
    assert.isTrue(circle.some((problem) => problem.includes("too large or too deep")))
    assert.deepStrictEqual(problemsOf(withBasics("models: { a: *nobody }")), [
      "gateway.yaml:4:14: an alias (*) whose anchor (&) does not stand further up; text that begins with * needs quotes"
    ])
  })

  it("survives nesting without end, in every language", () => {
    for (const levels of [60, 1_500, 3_000, 5_000, 100_000]) {
      const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`
      assert.isNotEmpty(problemsOf(`server: ${deep}`))
      assert.isNotEmpty(problemsOf(`{"server": ${deep}}`, { file: "gateway.json" }))
      assert.isNotEmpty(problemsOf(`server = ${deep}`, { file: "gateway.toml" }))
      assert.isNotEmpty(problemsOf(`server${".a".repeat(levels)} = 1`, { file: "gateway.toml" }))
    }
  })

  it("says so when the file is empty or beyond any reason", () => {
    const empty = ["gateway.yaml: the file is empty; `model-gateway init` writes one to start from"]
    assert.deepStrictEqual(problemsOf(""), empty)
    assert.deepStrictEqual(problemsOf("# nothing yet\n"), empty)
    assert.deepStrictEqual(problemsOf("#".repeat(1_048_577)), ["gateway.yaml: the file is larger than 1 MiB"])
  })

  it("reads a file with a byte order mark and Windows line ends", () => {
    assert.deepStrictEqual(problemsOf(`\uFEFF${withBasics("server: { port: 4100 }\n").replaceAll("\n", "\r\n")}`), [])
  })
})

describe("JSON", () => {
  it("is JSON to the letter", () => {
    assert.deepStrictEqual(problemsOf("{ 'a': 1 } # YAML, really", { file: "gateway.json" }).slice(0, 1), [
      "gateway.json:1:3: this is no JSON: comments, single quotes, bare words and trailing commas need a file called .yaml instead"
    ])
  })

  it("has places", () => {
    const text = fixture("operating.json").replace('"port": 4100', '"port": 70000')
    assert.deepStrictEqual(problemsOf(text, { file: "gateway.json" }), [
      "gateway.json:4:11 server.port: 70000 is not a whole number from 0 to 65535"
    ])
  })
})

describe("TOML", () => {
  it("says where the syntax is wrong", () => {
    const problems = (text: string) => problemsOf(text, { file: "gateway.toml" })
    for (const [text, at, said] of [
      ["a = 1\nb = bare\n", "2:5", "something that does not belong here; text needs quotes"],
      [
        "host = 127.0.0.1",
        "1:13",
        "something that does not belong behind the value; text needs quotes, and each field its own line"
      ],
      ["a = 1\na = 2\n", "2:1", "this key stands in the same group twice"],
      ['a = "open\n', "1:10", "a closing quote is missing"],
      ["a = [1, 2\nb = 3\n", "2:1", "something that does not belong here; text needs quotes"],
      ["[a\n", "2:1", "a closing bracket is missing"],
      ["a\n", "2:1", "the equals sign is missing"],
      ["a =\n", "2:1", "the value is missing"],
      ["a =\n1\n", "2:1", "a key, its equals sign and its value must be on one line"],
      ["a = 2026-99-99", "1:14", "a value that can't be read; text needs quotes"],
      ['a = "C:\\data"', "1:9", "an unknown escape sequence in \"…\"; use '…' for text with backslashes"],
      ["a..b = 1", "1:2", "a dot too many in this key"]
    ] as const) {
      assert.deepStrictEqual(problems(text), [`gateway.toml:${at}: this is no TOML: ${said}`])
    }
  })

  it("finds the place of every key and value, whatever surrounds them", () => {
    const text = fixture("places.toml")
    const lines = text.split("\n")
    const check = (value: unknown, node: TreeNode | undefined, path: string) => {
      if (Array.isArray(value)) {
        assert(node?.kind === "list", path)
        assert.lengthOf(node.items, value.length, path)
        value.forEach((item, index) => check(item, node.items[index], `${path}[${index}]`))
        return
      }
      if (typeof value === "object" && value !== null && !(value instanceof Date)) {
        assert(node?.kind === "table", path)
        assert.sameMembers(
          node.entries.map(({ key }) => key),
          Object.keys(value),
          path
        )
        for (const entry of node.entries) {
          const inner = `${path}.${entry.key}`
          check(new Map(Object.entries(value)).get(entry.key), entry.value, inner)
        }
        return
      }
      assert(node?.kind === "scalar", path)
      assert.deepStrictEqual(node.value, value, path)
      // From its place on, the text holds that very value: another parser says so.
      const rest = [lines[node.at.line - 1]?.slice(node.at.column - 1), ...lines.slice(node.at.line)].join("\n")
      const ends = Array.from(rest.matchAll(/[,\]}\n]|$/g), (match) => match.index)
      const reads = ends.some((end) => {
        const read = Toml.parse(`v = ${rest.slice(0, end)}`)
        return Result.isSuccess(read) && JSON.stringify(read.success.v) === JSON.stringify(value)
      })
      assert.isTrue(reads, `${path} at ${node.at.line}:${node.at.column}: ${rest.slice(0, 20)}`)
    }
    const parsed = Result.getOrThrow(Toml.parse(text))
    assert.lengthOf(Object.keys(parsed), 8)
    check(parsed, parseToml(text, new Report("places.toml")), "")
  })

  it("points at keys by line and column", () => {
    const tree = parseToml('x = 1\n\n[a."b.c"]\r\n  d . e = [\n    1, { f = "é" },\n  ]\n', new Report("x.toml"))
    const seen: Array<string> = []
    const walk = (node: TreeNode | undefined) => {
      if (node?.kind === "list") node.items.forEach(walk)
      if (node?.kind !== "table") return
      for (const { at, key, value } of node.entries) {
        seen.push(`${key} ${at.line}:${at.column} ${value.at.line}:${value.at.column}`)
        walk(value)
      }
    }
    walk(tree)
    assert.deepStrictEqual(seen, ["x 1:1 1:5", "a 3:1 3:1", "b.c 3:1 3:1", "d 4:3 4:3", "e 4:7 4:11", "f 5:10 5:14"])
  })
})
