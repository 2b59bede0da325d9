/** The oldest Node on which the gateway runs, as npm carries it; installed once, under `node_modules/.cache/model-gateway`. */
import { readFileSync } from "node:fs"
import { arch, platform } from "node:os"
import { join } from "node:path"
import { install, npm, NotInstallable } from "./acceptance/Install.ts"

const packageJson = join(import.meta.dirname, "..", "packages", "gateway", "package.json")

/** What the gateway's `engines` say. */
export const OLDEST_NODE: string = JSON.parse(readFileSync(packageJson, "utf8")).engines.node.replace(">=", "")

/** The program; undefined where npm has none for this machine, or can't be reached. */
export const oldestNode = async (): Promise<string | undefined> => {
  const [system, file] = platform() === "win32" ? ["win", "node.exe"] : [platform(), "node"]
  const name = `node-${system}-${arch()}`
  try {
    const folder = await install("oldest-node", npm({ [name]: OLDEST_NODE }, { scripts: "none" }))
    return join(folder, "node_modules", name, "bin", file)
  } catch (error) {
    if (error instanceof NotInstallable) return undefined
    throw error
  }
}
