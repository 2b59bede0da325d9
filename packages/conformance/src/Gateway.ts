/** The real gateway in a process of its own, from the sources, with `gateway.yaml`. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "./Scenario.ts"

const root = join(import.meta.dirname, "..", "..", "..")
const main = join(root, "packages", "model-gateway", "src", "main.ts")

export const masterKey = "mk_c0nF0rmance-kJ8vQz2LmXw5RbNc7YdPf4Hs9AgUe6TiVo1"

export interface Gateway {
  readonly url: string
  /** A call of the admin API. */
  readonly admin: (method: string, path: string, body?: JsonObject) => Promise<JsonObject>
  readonly stop: () => Promise<void>
}

/** `foreign`: the address of the server that plays scripts. */
export const startGateway = async (folder: string, foreign: string): Promise<Gateway> => {
  const file = join(folder, "gateway.yaml")
  const yaml = readFileSync(join(import.meta.dirname, "..", "gateway.yaml"), "utf8").replace("${FOREIGN}", foreign)
  // A power cut is no part of this: without waiting for the disk it takes half the time.
  const store = `{ sqlite: ${join(folder, "gateway.db")}, synchronous: normal }`
  writeFileSync(file, `master_key: "${masterKey}"\nserver: { port: 0 }\nstore: ${store}\n${yaml}`)
  const child = spawn(process.execPath, ["--conditions=model-gateway-source", main, "serve", "--config", file], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ended = once(child, "close")
  const atExit = () => child.kill("SIGKILL")
  process.once("exit", atExit)
  const stop = async () => {
    child.kill("SIGKILL")
    await ended
    process.off("exit", atExit)
  }
  try {
    const url = await listening(child)
    return { url, stop, admin: (method, path, body) => admin(url, method, path, body) }
  } catch (error) {
    await stop()
    throw error
  }
}

const listening = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ""
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text
      const url = /listening on (http:\S+)\n/.exec(said)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once("error", reject)
    child.once("close", (code) => reject(new Error(`The gateway ended with ${code} before it listened:\n${said}`)))
  })

const admin = async (url: string, method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${masterKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}
