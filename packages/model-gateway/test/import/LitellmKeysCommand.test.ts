import { createHash } from "node:crypto"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { invoke } from "../Invoke.ts"
import { folder } from "../Support.ts"

const digest = (text: string) => createHash("sha256").update(text).digest("hex")
const SECRETS = ["sk-alpha-1234567890", "sk-beta-12345678901"]
const CSV = `token,key_alias,spend,max_budget,budget_id
${digest(SECRETS[0] ?? "")},alpha,1.5,10,
${digest(SECRETS[1] ?? "")},"=cmd, beta",0,,b-1
`

const prepared = Effect.map(folder, (cwd) => {
  const path = (name: string) => join(cwd, name)
  writeFileSync(path("keys.csv"), CSV)
  const run = (...args: ReadonlyArray<string>) =>
    invoke(["import", "litellm-keys", path("keys.csv"), "--store", path("gateway.db"), ...args], {})
  return { path, run }
})

describe("import litellm-keys", () => {
  it.live("says what would be and writes nothing, unless it is told to", () =>
    Effect.gen(function* () {
      const { path, run } = yield* prepared
      const { code, stdout } = yield* run()
      assert.strictEqual(code, 0)
      assert.include(stdout, "2 keys: 1 disabled, 1.5 USD spent of budgets.")
      assert.include(stdout, "budget_id (line 3): its budget and limits are in another table")
      assert.include(stdout, "Nothing is written.")
      assert.isFalse(existsSync(path("gateway.db")))
      for (const row of CSV.split("\n").slice(1, 3)) assert.notInclude(stdout, row.slice(0, 64))
    })
  )

  it.live("brings each key once, however often it runs, with books that agree", () =>
    Effect.gen(function* () {
      const { path, run } = yield* prepared
      const first = yield* run("--apply", "--keep-secrets")
      assert.include(first.stdout, "Imported 2 keys into", first.stderr)
      const again = yield* run("--apply", "--new-secrets", path("new.csv"))
      assert.include(again.stdout, "Imported 0 keys into")
      assert.include(again.stdout, "2 keys were there already and stay as they are.")
      assert.isFalse(existsSync(path("new.csv")))
      writeFileSync(path("keys.csv"), `${CSV}${digest("sk-gamma")},gamma,0,,\n`)
      assert.include((yield* run("--apply", "--keep-secrets")).stdout, "Imported 1 key into")
      const verified = yield* invoke(["ledger", "verify", "--store", path("gateway.db")], {})
      assert.strictEqual(verified.code, 0, verified.stdout)
      assert.include(verified.stdout, "1.5 USD")
    })
  )

  it.live("writes new secrets to a file that only its owner can read, and nowhere else", () =>
    Effect.gen(function* () {
      const { path, run } = yield* prepared
      const { code, stderr, stdout } = yield* run("--apply", "--new-secrets", path("new.csv"))
      assert.strictEqual(code, 0, stderr)
      const [head, ...rows] = readFileSync(path("new.csv"), "utf8").trim().split("\n")
      assert.strictEqual(head, "row,id,name,team,key")
      assert.match(rows[0] ?? "", /^2,key_\w{12},alpha,,mgw_\w{12}_\w{49}$/)
      assert.match(rows[1] ?? "", /^3,key_\w{12},"'=cmd, beta",,mgw_\w{12}_\w{49}$/)
      assert.strictEqual(statSync(path("new.csv")).mode & 0o777, 0o600)
      assert.notInclude(stdout, "mgw_")
    })
  )

  it.live("leaves no secrets behind where their keys can't be written, and no keys where their secrets can't", () =>
    Effect.gen(function* () {
      const { path, run } = yield* prepared
      writeFileSync(path("new.csv"), "mine")
      const taken = yield* run("--apply", "--new-secrets", path("new.csv"))
      assert.strictEqual(taken.code, 1)
      assert.match(taken.stderr, /Nothing is imported: .*new\.csv is there already/)
      assert.strictEqual(readFileSync(path("new.csv"), "utf8"), "mine")
      assert.include((yield* run("--apply", "--keep-secrets")).stdout, "Imported 2 keys")
      writeFileSync(path("gateway.db"), "this is no store")
      const broken = yield* run("--apply", "--new-secrets", path("other.csv"))
      assert.strictEqual(broken.code, 1)
      assert.isFalse(existsSync(path("other.csv")))
    })
  )

  it.live("refuses a damaged file as a whole, and says where", () =>
    Effect.gen(function* () {
      const { path, run } = yield* prepared
      writeFileSync(path("keys.csv"), CSV.replace(",1.5,10,", ",1.5,-10,"))
      const { code, stderr } = yield* run("--apply", "--keep-secrets")
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        /Nothing is imported: one cell of .*keys\.csv can't be read\.\n {2}.*keys\.csv:2 max_budget: -10/
      )
      assert.isFalse(existsSync(path("gateway.db")))
      writeFileSync(path("keys.csv"), Buffer.from(`\uFEFF${CSV}`, "utf16le"))
      assert.match((yield* run()).stderr, /UTF-16; export the table as UTF-8/)
    })
  )

  it.live("has an account of every value for programs", () =>
    Effect.gen(function* () {
      const { run } = yield* prepared
      const { stdout } = yield* run("--report", "json")
      const { applied, counts, keys, looser, values } = JSON.parse(stdout)
      assert.deepStrictEqual([applied, keys, looser], [false, 2, 1])
      assert.strictEqual(
        values.length,
        Object.values<number>(counts).reduce((sum, count) => sum + count, 0)
      )
      assert.deepInclude(values, {
        line: 3,
        column: "budget_id",
        outcome: "left_out",
        message: "its budget and limits are in another table (LiteLLM_BudgetTable)",
        looser: true
      })
    })
  )

  it.live.each([
    [["--apply"], 2, /--keep-secrets .* or --new-secrets FILE/],
    [["--apply", "--keep-secrets", "--new-secrets", "x.csv"], 2, /--keep-secrets .* or --new-secrets FILE/],
    [["--time-zone", "Mars/Olympus"], 2, /IANA name/],
    [["--database-url", "postgresql://user:hush@localhost/litellm"], 2, /One of them: Give the export/],
    [["--database-url-env", "NOPE"], 2, /One of them: Give the export/]
  ] as const)("%j says what to give", ([args, code, why]) =>
    Effect.gen(function* () {
      const { run } = yield* prepared
      const ran = yield* run(...args)
      assert.strictEqual(ran.code, code, ran.stdout)
      assert.match(ran.stderr + ran.stdout, why)
      assert.notInclude(ran.stderr + ran.stdout, "hush")
    })
  )

  it.live("says that there is no such file", () =>
    Effect.gen(function* () {
      const { path } = yield* prepared
      const { code, stderr } = yield* invoke(["import", "litellm-keys", path("nope.csv")], {})
      assert.deepStrictEqual([code, stderr], [1, `${path("nope.csv")} can't be read: no such file\n`])
    })
  )
})
