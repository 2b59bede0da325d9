/**
 * Clients as their users install them: from the registry, unchanged, at exact versions, each in a folder of its own under
 * `node_modules/.cache/model-gateway`. That happens once; when a pin changes, the folder is made anew.
 */
import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)
const root = join(import.meta.dirname, "..", "..")
const programs = join(import.meta.dirname, "programs")
const LONGEST_MS = 300_000
/** Without npm's patience, which waits for a minute and more before it gives up on a registry. */
const SOON = ["--fetch-retries=2", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=2000"]

/** The registry can't be reached: nothing is wrong with the gateway. */
export class NotInstallable extends Error {
  override name = "NotInstallable"
}

export interface Installation {
  /** What is installed, as text: another text is another installation. */
  readonly pins: string
  readonly make: (folder: string) => Promise<void>
  /** Done before each run: programs are copied to where they find the client. */
  readonly prepare: (folder: string) => Promise<void>
}

/** This process's environment without what the npm around it says of its own project. */
export const environment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || /^npm_(config_local_prefix|package_|lifecycle_)/.test(name) ? [] : [[name, value]]
    )
  )

/**
 * Packages of npm. `scripts`: those whose install script must run; "none": no package's may. `folders` of `programs` are put beside them.
 */
export const npm = (
  dependencies: Readonly<Record<string, string>>,
  {
    folders = [],
    overrides,
    scripts = []
  }: {
    readonly folders?: ReadonlyArray<string>
    /** Versions of what they depend on, instead of what they ask for. */
    readonly overrides?: Readonly<Record<string, string>>
    readonly scripts?: ReadonlyArray<string> | "none"
  } = {}
): Installation => ({
  pins: JSON.stringify({ dependencies, scripts, overrides }),
  make: async (folder) => {
    const isNone = scripts === "none"
    const allowScripts = isNone ? {} : Object.fromEntries(scripts.map((name) => [name, true]))
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ private: true, type: "module", dependencies, overrides, allowScripts })
    )
    await call(
      folder,
      "npm",
      "install",
      "--no-audit",
      "--no-fund",
      "--no-package-lock",
      ...(isNone ? ["--ignore-scripts"] : []),
      ...SOON
    )
  },
  prepare: async (folder) => {
    rmSync(join(folder, "programs"), { recursive: true, force: true })
    for (const name of folders) cpSync(join(programs, name), join(folder, "programs", name), { recursive: true })
  }
})

/** Packages of PyPI, in a virtual environment. */
export const pip = (...requirements: ReadonlyArray<string>): Installation => ({
  pins: requirements.join(" "),
  make: async (folder) => {
    await call(folder, "python3", "-m", "venv", ".")
    await call(
      folder,
      join("bin", "python"),
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "--retries=1",
      ...requirements
    )
  },
  prepare: async () => {}
})

/** A program in Go: its folder in `programs` has a `go.mod` with the pins, and a `go.sum`. */
export const goProgram = (name: string): Installation => {
  const module = readFileSync(join(programs, name, "go.mod"), "utf8")
  return {
    pins: module,
    make: async (folder) => {
      cpSync(join(programs, name), folder, { recursive: true })
      await call(folder, "go", "mod", "download")
    },
    prepare: async (folder) => {
      cpSync(join(programs, name), folder, { recursive: true })
      await call(folder, "go", "build", "-o", "program", ".")
    }
  }
}

/** The client's folder with everything in it. Rejects with `NotInstallable` where that is nobody's fault. */
export const install = async (name: string, { make, pins, prepare }: Installation): Promise<string> => {
  const folder = join(root, "node_modules", ".cache", "model-gateway", name)
  // Written last: a folder without it is half an installation.
  const done = join(folder, ".pins")
  if (!existsSync(done) || readFileSync(done, "utf8") !== pins) {
    console.log(`Installing ${name} (once)`)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await make(folder)
    writeFileSync(done, pins)
  }
  await prepare(folder)
  return folder
}

/** What npm, pip and go say when the trouble is the registry or the way to it. */
const unreachable =
  /E404|ETARGET|ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|ERR_SOCKET|network|No matching distribution|dial tcp|no such host|E(?:401|403|429|5\d\d)\b/

/** A program of an installation. Rejects with `NotInstallable` where the registry is the trouble. */
export const call = async (cwd: string, program: string, ...args: ReadonlyArray<string>): Promise<void> => {
  try {
    await run(program, args, { cwd, env: environment(), timeout: LONGEST_MS, maxBuffer: 1 << 26 })
  } catch (error) {
    const { message, stderr = "" } = error as Error & { readonly stderr?: string }
    const said = stderr.trim() === "" ? message : stderr.trim()
    if (unreachable.test(said)) throw new NotInstallable(said.split("\n").slice(0, 3).join(" "), { cause: error })
    throw new Error(`${program} ${args.join(" ")} failed:\n${said}`, { cause: error })
  }
}
