/** The clients that take part: a package with a `conformance.json` does. */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { createInterface } from "node:readline"
import type { Observed } from "./Scenario.ts"

const root = join(import.meta.dirname, "..", "..", "..")
const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}` }

export interface Language {
  /** The table's column: `TypeScript`. */
  readonly name: string
  /** Programs that must be on the PATH. */
  readonly needs: ReadonlyArray<string>
  /** Prepares what the runner needs; where that can't be, it fails and says why. */
  readonly ready?: ReadonlyArray<string>
  /** Runs in the package's folder; the path of a file with the scenarios is added. */
  readonly command: ReadonlyArray<string>
  readonly folder: string
}

/** Languages that must take part, sooner or later: one that is missing is said to be. */
export const allLanguages = ["TypeScript", "Python", "Python (async)", "Go"] as const

export const languages = (): ReadonlyArray<Language> =>
  readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name))
    .filter((folder) => existsSync(join(folder, "conformance.json")))
    .flatMap((folder) => {
      const said: Omit<Language, "folder"> | ReadonlyArray<Omit<Language, "folder">> = JSON.parse(
        readFileSync(join(folder, "conformance.json"), "utf8")
      )
      return [said].flat().map((language) => ({ ...language, folder }))
    })

/** The programs that it needs and that are not there, or why it can't be made ready. */
export const missing = ({ folder, needs, ready }: Language): ReadonlyArray<string> => {
  const programs = needs.filter(
    (program) => spawnSync("sh", ["-c", `command -v "$0"`, program], { env, stdio: "ignore" }).status !== 0
  )
  if (programs.length > 0 || ready === undefined) return programs
  const [program = "", ...args] = ready
  const { status, stdout } = spawnSync(program, args, { cwd: folder, env, encoding: "utf8" })
  return status === 0 ? [] : [stdout.trim()]
}

/** Each line that the runner prints, as it comes; completes when the runner has ended. */
export const runLanguage = async (
  { command, folder }: Language,
  scenarios: string,
  observe: (observed: Observed) => void
): Promise<string> => {
  const [program = "", ...args] = command
  const child = spawn(program, [...args, scenarios], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-4_000)))
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message))
    child.once("close", (code) => resolve(code === 0 ? "" : `${command.join(" ")} ended with ${code}: ${said}`))
  })
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith("{")) observe(JSON.parse(line))
  return ended
}
