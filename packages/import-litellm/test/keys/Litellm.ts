/** A database of LiteLLM's, with rows of one's own, and the command on it. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase } from "../../../gateway/test/support/postgres/Databases.ts"
import { administer } from "../../../gateway/test/support/postgres/Queries.ts"
import { invoke } from "../../../model-gateway/test/Invoke.ts"
import { folder } from "../../../model-gateway/test/Support.ts"

export const digest = (text: string) => createHash("sha256").update(text).digest("hex")
export const tables = readFileSync(join(import.meta.dirname, "fixtures", "litellm.sql"), "utf8").split(";\n")

const literal = (value: unknown): string =>
  value === null
    ? "NULL"
    : Array.isArray(value)
      ? `ARRAY[${value.map(literal).join(",")}]::text[]`
      : typeof value === "object"
        ? `${literal(JSON.stringify(value))}::jsonb`
        : typeof value === "string"
          ? `'${value.replaceAll("'", "''")}'`
          : String(value)

export const insert = (table: string, row: Readonly<Record<string, unknown>>): string =>
  `INSERT INTO "LiteLLM_${table}" (${Object.keys(row).join(", ")}) VALUES (${Object.values(row).map(literal).join(", ")})`

export const key = (name: string, row: Readonly<Record<string, unknown>> = {}) =>
  insert("VerificationToken", {
    token: digest(`sk-${name}`),
    key_name: "sk-...abcd",
    key_alias: name,
    models: [],
    ...row
  })

export const team = (id: string, row: Readonly<Record<string, unknown>> = {}) =>
  insert("TeamTable", { team_id: id, models: [], ...row })

export const user = (id: string, row: Readonly<Record<string, unknown>> = {}) =>
  insert("UserTable", { user_id: id, models: [], ...row })

export const budget = (id: string, row: Readonly<Record<string, unknown>> = {}) =>
  insert("BudgetTable", { budget_id: id, created_by: "a", updated_by: "a", ...row })

export const endUser = (id: string, row: Readonly<Record<string, unknown>> = {}) =>
  insert("EndUserTable", { user_id: id, ...row })

/** The command on a database of LiteLLM with these rows. */
export const prepared = Effect.fnUntraced(function* (...statements: ReadonlyArray<string>) {
  const url = yield* freshDatabase
  yield* administer(url, ...tables, ...statements)
  const cwd = yield* folder
  const path = (name: string) => join(cwd, name)
  const run = (...args: ReadonlyArray<string>) =>
    invoke(["import", "litellm-keys", "--database-url", url, "--store", path("gateway.db"), ...args], {})
  const values = Effect.map(run("--report", "json"), ({ stderr, stdout }) => {
    assert.strictEqual(stderr, "")
    return JSON.parse(stdout) as {
      readonly keys: number
      readonly teams: number
      readonly disabled: number
      readonly spent: string
      readonly rows: ReadonlyArray<{ readonly name: string; readonly disabled: boolean; readonly looser: boolean }>
      readonly values: ReadonlyArray<{
        readonly table: string
        readonly row: string
        readonly column: string
        readonly outcome: string
        readonly message: string
        readonly looser: boolean
      }>
    }
  })
  return { url, path, run, values }
})
