import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"
import { stopped } from "./LedgerStore.ts"
import { run } from "./Support.ts"

/** A plain reader of RFC 4180. */
const parseCsv = (text: string): ReadonlyArray<Record<string, string>> => {
  const lines: Array<Array<string>> = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    lines.at(-1)!.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'))
    if (end === "\n") lines.push([])
  }
  const [names = [], ...rows] = lines.slice(0, -1)
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ""])))
}

describe("ledger export", () => {
  it.live("writes closed rows as CSV that reads back as they were", () =>
    Effect.gen(function* () {
      const { ledger } = yield* stopped
      const ran = yield* ledger("export", "--store", "gateway.db")
      assert.deepStrictEqual([ran.code, ran.stderr], [0, ""])
      const rows = parseCsv(ran.stdout)
      assert.deepStrictEqual(
        rows.map((row) => row["id"]),
        ["1", "2", "3"]
      )
      assert.deepStrictEqual(rows[1], {
        id: "2",
        request_id: "request_2",
        attempt: "1",
        at: "2026-03-01T11:20:00.000Z",
        settled_at: "2026-03-01T11:20:01.000Z",
        status: "settled",
        key_id: "key_a",
        team: "red",
        provider: "openai",
        model: "line\nbreak",
        deployment: 'a "b"',
        tags: "one,two",
        counts_as: "nothing",
        cost_usd: "0.0000007",
        estimated: "true",
        reserved_usd: "0.0000009",
        price_source: "test",
        price_version: "1",
        input_tokens: "100",
        cached_input_tokens: "20",
        cached_audio_input_tokens: "0",
        cache_write_tokens: "0",
        cache_write_1h_tokens: "0",
        cache_write_12h_tokens: "0",
        output_tokens: "50",
        reasoning_tokens: "5",
        audio_input_tokens: "0",
        audio_output_tokens: "0",
        auto_baseline_usd: "",
        service_tier: "default",
        image_input_tokens: "0",
        image_output_tokens: "0",
        images: "0",
        audio_seconds: "0",
        characters: "0",
        rerank_units: "0",
        request_fees: "0",
        web_searches: "0",
        file_searches: "0",
        code_executions: "0",
        operation: "rerank"
      })
      assert.deepStrictEqual(
        rows.map(({ operation }) => operation),
        ["chat", "rerank", "chat"]
      )
      assert.deepInclude(rows[0], { cost_usd: "0.0000007", auto_baseline_usd: "0.0000021" })
      assert.deepInclude(rows[2], { team: "", tags: "", price_source: "", cost_usd: "0", status: "void" })
    })
  )

  it.live("writes JSON lines with the same names; only rows of the time that was asked for", () =>
    Effect.gen(function* () {
      const { ledger } = yield* stopped
      const period = ["--from", "2026-03-01T12:20:00+01:00", "--to", "2026-03-01T12:20:00Z"]
      const ran = yield* ledger("export", "--store", "gateway.db", "--format", "jsonl", ...period)
      assert.strictEqual(ran.code, 0, ran.stderr)
      const rows = ran.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.lengthOf(rows, 1)
      assert.deepInclude(rows[0], {
        id: 2,
        attempt: 1,
        at: "2026-03-01T11:20:00.000Z",
        tags: ["one", "two"],
        cost_usd: "0.0000007",
        estimated: true,
        input_tokens: 100
      })
      const none = yield* ledger("export", "--store", "gateway.db", "--format", "jsonl", "--to", "2026-02-01")
      assert.deepStrictEqual([none.code, none.stdout], [0, ""])
    })
  )

  it.live("writes every row of many once, in the memory of a few", () =>
    Effect.gen(function* () {
      const { change, cwd } = yield* stopped
      change(manyRows(150_000))
      const few = { NODE_OPTIONS: "--max-old-space-size=64" }
      const ran = yield* run(["ledger", "export", "--store", "gateway.db"], { cwd, env: few })
      assert.strictEqual(ran.code, 0, ran.stderr)
      const ids = parseCsv(ran.stdout).map(({ id }) => Number(id))
      assert.deepStrictEqual(ids, [1, 2, 3, ...Array.from({ length: 149_999 }, (_, index) => index + 5)])
      // Whoever has seen enough closes the pipe, which is no mistake.
      const piped = yield* shell(
        `"${process.execPath}" --conditions=model-gateway-source "${main}" ledger export --store gateway.db | head -2; exit \${PIPESTATUS[0]}`,
        cwd
      )
      assert.deepStrictEqual([piped.code, piped.stderr], [0, ""])
      assert.lengthOf(piped.stdout.trimEnd().split("\n"), 2)
    })
  )

  it.live("wrong times are wrong usage, a missing store is not", () =>
    Effect.gen(function* () {
      const { ledger } = yield* stopped
      const wrong = yield* ledger("export", "--store", "gateway.db", "--from", "yesterday")
      assert.deepStrictEqual([wrong.code, wrong.stdout], [2, ""])
      assert.include(wrong.stderr, "a day such as 2026-11-01")
      const missing = yield* ledger("export", "--store", "nowhere.db")
      assert.deepStrictEqual([missing.code, missing.stdout, missing.stderr], [1, "", "nowhere.db: no such file.\n"])
    })
  )
})

const main = join(import.meta.dirname, "../src/main.ts")

/** Copies of row 1 from id 5 on, in its hour. */
const manyRows = (count: number) => {
  const columns =
    "request_id, attempt, at, key_id, team, provider, model, deployment, tags, reserved, status, settled_at, cost"
  return `WITH RECURSIVE n(id) AS (SELECT 5 UNION ALL SELECT id + 1 FROM n LIMIT ${count - 1})
    INSERT INTO ledger (id, ${columns}) SELECT n.id, ${columns
      .split(", ")
      .map((name) => `ledger.${name}`)
      .join(", ")} FROM n, ledger WHERE ledger.id = 1;
    UPDATE rollup SET last_id = ${count + 3} WHERE first_id = 1`
}

const shell = (command: string, cwd: string) =>
  Effect.callback<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resume) => {
    execFile("bash", ["-c", command], { cwd }, (error, stdout, stderr) =>
      resume(Effect.succeed({ code: Number(error?.code ?? 0), stdout, stderr }))
    )
  })
