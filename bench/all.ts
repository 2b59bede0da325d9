/**
 * Every bench that package.json names, one after the other, with the arguments given here.
 *
 *   npm run bench -- [--only proxy,stream,peers] [--markdown FILE]
 *
 * `--markdown` also writes what they printed into a file, their tables ready for docs/benchmarks.md.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { machine } from "./Bench.ts"

const root = join(import.meta.dirname, "..")
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>
}
const benches = Object.entries(scripts).flatMap(([name, script]) =>
  name.startsWith("bench:") ? [{ name: name.slice("bench:".length), file: script.split(" ").at(-1)! }] : []
)

const { tokens, values } = parseArgs({
  options: { only: { type: "string" }, markdown: { type: "string" } },
  strict: false,
  tokens: true
})
const wrongUsage = (message: string): never => {
  console.error(message)
  process.exit(2)
}
const textOf = (name: "only" | "markdown"): string | undefined => {
  const value = values[name]
  return value === undefined || typeof value === "string" ? value : wrongUsage(`--${name} needs a value`)
}
const file = textOf("markdown")
const only = textOf("only")?.split(",")
const unknown = only?.filter((one) => benches.every(({ name }) => name !== one)) ?? []
if (unknown.length > 0)
  wrongUsage(`there is no bench:${unknown[0]}; there are ${benches.map(({ name }) => name).join(", ")}`)

/** What is for each of them: all but our own options. */
const own = new Set(["only", "markdown"])
const argv = process.argv.slice(2)
const passed = argv.filter(
  (_, index) =>
    !tokens.some(
      (token) =>
        token.kind === "option" &&
        own.has(token.name) &&
        (token.index === index || (token.inlineValue === false && token.index === index - 1))
    )
)

/** Runs it as it is, and gives back what it printed. */
const printed = async (script: string): Promise<{ readonly text: string; readonly status: number | null }> => {
  const child = spawn(process.execPath, ["--conditions=model-gateway-source", script, ...passed], {
    cwd: root,
    stdio: ["inherit", "pipe", "inherit"]
  })
  let text = ""
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece
    process.stdout.write(piece)
  })
  await once(child, "close")
  return { text, status: child.exitCode }
}

/** The JSON line is for programs. */
const withoutJson = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !/^\{.*\}$/.test(line))
    .join("\n")
    .trim()

const { cores, cpu, node, system } = machine()
const day = new Date().toISOString().slice(0, 10)
const sections = [`${day}, ${cores} cores (${cpu}), Node ${node.slice(1)}, ${system}.`]
for (const { file: script, name } of benches) {
  if (only?.includes(name) === false) continue
  console.log(`\n# bench:${name}`)
  const load = loadavg()[0] ?? 0
  const { status, text } = await printed(script)
  if (status !== 0) process.exitCode = 1
  const failed = status === 0 ? "" : `\n\nIt failed, with exit code ${status}.`
  sections.push(
    `## \`npm run bench:${name}\`\n\nLoad average ${load.toFixed(1)} before it.\n\n${withoutJson(text)}${failed}`
  )
  // After each: a run of half an hour that is cut short leaves what it has.
  if (file !== undefined) writeFileSync(file, `${sections.join("\n\n")}\n`)
}
