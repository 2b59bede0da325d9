/**
 * The Effect diagnostics of every source and test file; any finding fails, whatever its severity. The tool checks nothing
 * and passes when tsconfig.json names no files, so what it checked is compared with what is there.
 */
import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import { delimiter, join, relative } from "node:path"

const root = join(import.meta.dirname, "..")
const bin = join(root, "node_modules", ".bin")

interface Report {
  readonly diagnostics: ReadonlyArray<{
    readonly file: string
    readonly line: number
    readonly column: number
    readonly severity: string
    readonly name: string
    readonly message: string
  }>
  readonly files: ReadonlyArray<{ readonly file: string }>
}

const { error, status, stderr, stdout } = spawnSync(
  "effect-tsgo",
  ["diagnostics", "--project", "tsconfig.json", "--format", "json", "--list-files"],
  {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` },
    maxBuffer: 256 * 1024 * 1024
  }
)

const parse = (text: string): Report | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const report = error === undefined ? parse(stdout) : undefined
if (report === undefined) {
  console.error(`effect-tsgo gave no report (exit code ${status}): ${error?.message ?? (stderr || stdout)}`)
  process.exit(1)
}

for (const { column, file, line, message, name, severity } of report.diagnostics) {
  console.log(`${relative(root, file)}:${line}:${column}: ${severity} ${name}: ${message}`)
}

const checked = new Set(report.files.map(({ file }) => relative(root, file)))
/** It runs in browsers, with types of its own and nothing of Effect. */
const DASHBOARD = "packages/dashboard/src/"
const missed = globSync("packages/*/{src,test}/**/*.ts", { cwd: root }).filter(
  (file) => !file.endsWith(".d.ts") && !file.startsWith(DASHBOARD) && !checked.has(file)
)
if (missed.length > 0) console.log(`Not checked, see "include" in tsconfig.json:\n  ${missed.join("\n  ")}`)
if (checked.size === 0) console.log("No file was checked.")

console.log(`${checked.size} files checked, ${report.diagnostics.length} findings`)
process.exit(report.diagnostics.length > 0 || missed.length > 0 || checked.size === 0 || status !== 0 ? 1 : 0)
