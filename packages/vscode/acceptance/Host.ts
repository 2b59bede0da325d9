/**
 * A real VS Code without a desktop: code-server from npm (VS Code 1.139.1 in the browser), with the extension installed from its `.vsix`.
 * Only packages of JavaScript are installed: what needs a compiler (terminals, file watching) is not needed here.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { call, environment, install, type Installation } from "../../../scripts/acceptance/Install.ts"

const run = promisify(execFile)

const CODE_SERVER = "4.139.1"
const entry = (folder: string): string => join(folder, "node_modules", "code-server", "out", "node", "entry.js")

/** code-server brings VS Code with a list of packages of its own, which its install script would build. */
const codeServer: Installation = {
  pins: `code-server ${CODE_SERVER}`,
  make: async (folder) => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }))
    const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]
    await call(folder, "npm", "install", ...quietly, `code-server@${CODE_SERVER}`)
    const vscode = join(folder, "node_modules", "code-server", "lib", "vscode")
    await call(vscode, "npm", "install", "--omit=dev", ...quietly)
  },
  prepare: async () => {}
}

export interface Host {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** `settings`: of the user who opens it. */
export const startHost = async (folder: string, vsix: string, settings: object): Promise<Host> => {
  const installed = await install("code-server", codeServer)
  const data = join(folder, "data")
  const extensions = join(folder, "extensions")
  const workspace = join(folder, "workspace")
  mkdirSync(join(data, "User"), { recursive: true })
  mkdirSync(extensions, { recursive: true })
  mkdirSync(workspace, { recursive: true })
  writeFileSync(join(data, "User", "settings.json"), JSON.stringify(settings, null, 2))
  writeFileSync(join(workspace, "notes.md"), "# Notes\n")
  const places = ["--user-data-dir", data, "--extensions-dir", extensions, "--config", join(folder, "none.yaml")]
  writeFileSync(join(folder, "none.yaml"), "")
  const env = { ...environment(), HOME: folder }
  await run(process.execPath, [entry(installed), ...places, "--install-extension", vsix], { env })
  const child = spawn(
    process.execPath,
    [
      entry(installed),
      ...places,
      "--auth=none",
      "--bind-addr=127.0.0.1:0",
      "--disable-telemetry",
      "--disable-update-check",
      "--disable-workspace-trust",
      workspace
    ],
    { env, detached: true, stdio: ["ignore", "pipe", "pipe"] }
  )
  const ended = once(child, "close")
  const stop = async () => {
    // It has children of its own: the group is ended, not the one process.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
    await ended
  }
  try {
    return { url: await listening(child), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const listening = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ""
    const hear = (text: string) => {
      said += text
      const url = /listening on (http:\S+)/i.exec(said)?.[1]
      if (url !== undefined) resolve(url.replace(/\/$/, ""))
    }
    child.stdout?.setEncoding("utf8").on("data", hear)
    child.stderr?.setEncoding("utf8").on("data", hear)
    child.once("error", reject)
    child.once("close", (code) => reject(new Error(`code-server ended with ${code}:\n${said}`)))
  })
