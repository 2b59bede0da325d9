/**
 * Folders outside of the repository's packages with what a user would have installed: LangChain at exact versions from a lock file of
 * their own, and this package from its archive. They are kept under `node_modules/.cache` and made again when a lock file changes.
 */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)
const root = join(import.meta.dirname, "..", "..", "..")
const cache = join(root, "node_modules", ".cache", "model-gateway")

/** Each has a `package.json`, a lock file and an `.npmrc` beside this file. */
export type Folder = "core-1.2" | "core-1.4" | "nodes"

/** The registry can't be reached, or does not have it: nothing is wrong with this package. */
export class NotInstallable extends Error {
  override name = "NotInstallable"
}

/** What npm says when the trouble is the registry or the way to it. */
const unreachable =
  /E404|ETARGET|ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|ERR_SOCKET|network|E(?:401|403|429|5\d\d)\b/

const LONGEST_MS = 120_000

/** This process's environment without what an npm around it says of its own project, and with its own Node first. */
export const environment = (node: string = process.execPath): NodeJS.ProcessEnv => {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^npm_(config_local_prefix|package_|lifecycle_)/.test(name)
  )
  return { ...Object.fromEntries(entries), PATH: `${dirname(node)}:${process.env["PATH"] ?? ""}` }
}

/** The folder with everything in it that its lock file names. Rejects with `NotInstallable` where that is nobody's fault. */
export const install = async (name: Folder): Promise<string> => {
  const source = join(import.meta.dirname, name)
  const lock = createHash("sha256")
    .update(readFileSync(join(source, "package-lock.json")))
    .digest("hex")
  const folder = join(cache, `langchain-${name}-${lock.slice(0, 12)}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  for (const old of readdirSync(cache).filter((one) => one.startsWith(`langchain-${name}-`))) {
    rmSync(join(cache, old), { recursive: true, force: true })
  }
  // Whole or not at all, whatever ends this process.
  const growing = `${folder}.${process.pid}`
  cpSync(source, growing, { recursive: true })
  try {
    // Without npm's patience, which waits for a minute and more before it gives up on a registry.
    const options = [
      "--prefer-offline",
      "--fetch-retries=2",
      "--fetch-retry-mintimeout=500",
      "--fetch-retry-maxtimeout=2000"
    ]
    await run("npm", ["ci", ...options], { cwd: growing, env: environment(), timeout: LONGEST_MS })
  } catch (error) {
    rmSync(growing, { recursive: true, force: true })
    const { killed, message, stderr } = error as Error & { readonly killed?: boolean; readonly stderr?: string }
    const said = `${stderr ?? ""}`.match(/npm error .*/)?.[0] ?? message
    if (killed === true || unreachable.test(`${stderr} ${message}`)) throw new NotInstallable(`${name}: ${said}`)
    throw error
  }
  renameSync(growing, folder)
  return folder
}

/** The archive that `npm pack` makes of this package, in `folder`. */
export const pack = async (folder: string): Promise<string> => {
  const options = { cwd: join(import.meta.dirname, ".."), env: environment() }
  await run("npm", ["pack", "--pack-destination", folder], options)
  const [archive] = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
  if (archive === undefined) throw new Error("npm pack made no archive.")
  return join(folder, archive)
}

/** Puts the packed package, and nothing else of the repository, into a folder's `node_modules`; the programs beside it. */
export const addPackage = async (folder: string, archive: string): Promise<void> => {
  const target = join(folder, "node_modules", "@model-gateway", "langchain")
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  await run("tar", ["-xzf", archive, "--strip-components=1", "-C", target])
  addPrograms(folder)
}

export const addPrograms = (folder: string): void =>
  cpSync(join(import.meta.dirname, "programs"), folder, { recursive: true })
