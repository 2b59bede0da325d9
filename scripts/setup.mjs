/**
 * Makes a fresh clone ready (packages, the dashboard), then becomes the command it was given:
 * `node scripts/setup.mjs [--run] <command> [arguments]`.
 *
 * Runs on whatever Node the machine has (20 or newer), so it is plain JavaScript without dependencies. The command runs on
 * the Node that package.json pins. With `--run` only what the gateway itself needs is installed, and a Node of the machine that is new
 * enough is used instead of the pinned one. Nothing here writes to stdout: that belongs to the command.
 */
import { spawn } from "node:child_process"
import { accessSync, constants as access, readFileSync } from "node:fs"
import { constants } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { sourcesOf } from "./dashboard-sources.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = join(root, "node_modules", ".bin")
const pinnedNode = join(root, "node_modules", "node", "bin", "node")

/** Ctrl-C in a terminal reaches the whole process group at once, the command included. */
const terminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)

const say = (line) => process.stderr.write(`${line}\n`)

const runOnly = process.argv[2] === "--run"

/** What the gateway runs from, with the dashboard that is built for it. */
const RUNS = ["protocol", "gateway", "import-litellm", "router-lab", "model-gateway", "dashboard"].map(
  (name) => `packages/${name}`
)

/** The oldest Node that the gateway runs on. */
const isNewEnough = ([major, minor]) => major > 22 || (major === 22 && minor >= 19)
const needsPinnedNode = !runOnly || !isNewEnough(process.versions.node.split(".").map(Number))

/** What runs the command. */
const node = needsPinnedNode ? pinnedNode : process.execPath

const usable = (program) => {
  try {
    accessSync(program, access.X_OK)
    return true
  } catch {
    return false
  }
}

/** Package path → entry of a lock file; undefined when there is none. */
const locked = (file) => {
  try {
    return JSON.parse(readFileSync(join(root, file), "utf8")).packages
  } catch {
    return undefined
  }
}

/** Paths in the lock file of what `RUNS` depends on, as Node resolves it. */
const neededToRun = (packages) => {
  const needed = new Set()
  const visit = (from, { dependencies, optionalDependencies }) => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      let folder = from
      while (folder !== "" && !(`${folder}/node_modules/${name}` in packages)) {
        folder = folder.includes("/node_modules/") ? folder.slice(0, folder.lastIndexOf("/node_modules/")) : ""
      }
      const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`
      const found = packages[path]
      if (found === undefined || needed.has(path)) continue
      needed.add(path)
      visit(found.link ? found.resolved : path, found.link ? (packages[found.resolved] ?? {}) : found)
    }
  }
  for (const folder of RUNS) visit(folder, packages[folder] ?? {})
  if (needsPinnedNode) visit("", { dependencies: packages[""].dependencies })
  return needed
}

/**
 * Why an installation is needed, or undefined. Compares what npm noted down as installed with the lock file: times of files
 * say little after a checkout. What only other platforms need is in the lock file and never installed.
 */
const reasonToInstall = () => {
  const installed = locked("node_modules/.package-lock.json")
  if (installed === undefined) return "node_modules is missing or incomplete"
  const all = locked("package-lock.json") ?? {}
  const needed = runOnly ? neededToRun(all) : undefined
  for (const [path, wanted] of Object.entries(all)) {
    if (!path.startsWith("node_modules/") || needed?.has(path) === false) continue
    const found = installed[path]
    if (found === undefined && (wanted.optional || wanted.devOptional)) continue
    const same =
      found !== undefined &&
      found.version === wanted.version &&
      found.resolved === wanted.resolved &&
      (!found.integrity || !wanted.integrity || found.integrity === wanted.integrity)
    if (!same) return "node_modules does not match package-lock.json"
  }
  return usable(node) ? undefined : "the pinned Node is not installed"
}

/** Whether the tools of developers are installed: they stay when what runs is renewed. */
const hasTools = () => locked("node_modules/.package-lock.json")?.["node_modules/vitest"] !== undefined

/**
 * Runs a program to its end, passing signals on: → `{ code, signal, error }`, the last when it could not be started. In a
 * terminal SIGINT is only waited for: the program has it already, and npm, which started us, sends it once more.
 */
const run = (program, args, options) =>
  new Promise((resolve) => {
    const child = spawn(program, args, options)
    const pass = (signal) => {
      if (signal !== "SIGINT" || !terminal) child.kill(signal)
    }
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"]
    for (const signal of signals) process.on(signal, pass)
    const end = (result) => {
      for (const signal of signals) process.removeListener(signal, pass)
      resolve(result)
    }
    child.on("error", (error) => end({ code: 1, signal: null, error }))
    child.on("exit", (code, signal) => end({ code, signal, error: undefined }))
  })

/** Ends this process the way the other one ended. */
const endLike = ({ code, signal }) => {
  if (signal) {
    process.kill(process.pid, signal)
    // Where the signal does not end us at once, its conventional exit code will.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 500)
  } else {
    process.exitCode = code ?? 1
  }
}

/** → whether everything is in place. `--include=dev`: NODE_ENV=production would leave out the tools, the pinned Node among them. */
const install = async (reason) => {
  const onlyRun = runOnly && !hasTools()
  const size = onlyRun ? (needsPinnedNode ? "350 MB" : "150 MB") : "1.1 GB"
  say(`Setting up: ${reason}; running npm ci (about ${size}, once).`)
  const npm = process.env.npm_execpath?.endsWith("npm-cli.js") ? [process.execPath, process.env.npm_execpath] : ["npm"]
  // Warnings are left out: on an old Node each package would say that it wants a newer one, which it is about to get.
  const which = onlyRun
    ? [
        "--omit=dev",
        "--omit=peer",
        ...RUNS.flatMap((folder) => ["-w", folder]),
        ...(needsPinnedNode ? ["--include-workspace-root"] : [])
      ]
    : ["--include=dev"]
  const args = [...npm.slice(1), "ci", ...which, "--loglevel=error"]
  const result = await run(npm[0], args, { cwd: root, stdio: ["ignore", 2, 2] })
  if (result.signal) {
    endLike(result)
    return false
  }
  const problem = result.error
    ? `npm could not be started (${result.error.message})`
    : result.code !== 0
      ? `npm ci failed with exit code ${result.code}; its messages are above`
      : usable(node)
        ? undefined
        : "npm ci did not install the pinned Node; if npm is told to ignore install scripts, allow them for this folder"
  if (problem === undefined) return true
  say(`Set-up failed: ${problem}.`)
  process.exitCode = 1
  return false
}

/** The dashboard is the one part that Node can't run as it is. → whether it is built. */
const buildDashboard = async () => {
  if (sourcesOf(root).isBuilt) return true
  say("Setting up: building the dashboard, since its sources have changed.")
  const result = await run(node, [join(root, "scripts", "dashboard.ts")], { cwd: root, stdio: ["ignore", 2, 2] })
  if (result.signal) {
    endLike(result)
    return false
  }
  if (result.error === undefined && result.code === 0) return true
  say("Set-up failed: the dashboard could not be built; the messages are above.")
  process.exitCode = 1
  return false
}

const [command, ...args] = process.argv.slice(runOnly ? 3 : 2)
const reason = reasonToInstall()
const ready = (reason === undefined || (await install(reason))) && (await buildDashboard())

if (ready && command !== undefined) {
  const program = command === "node" ? node : command
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` }
  if (program === node && process.execve && !terminal) {
    // Newer Nodes can become the program, so that no process stays in between to hold memory and pass on signals. Not in a
    // terminal, where the program would get each Ctrl-C twice.
    process.execve(program, [program, ...args], env)
  }
  const result = await run(program, args, { stdio: "inherit", env })
  if (result.error) say(`Could not run ${command}: ${result.error.message}.`)
  endLike(result)
}
