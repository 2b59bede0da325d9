/** What `model-gateway connect` prints, and what a shell makes of it. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import type { Gateway } from "../Gateways.ts"

const main = join(import.meta.dirname, "..", "..", "..", "packages", "model-gateway", "src", "main.ts")

/** For the tool, as its user would get it. */
export const printed = ({ key, url }: Gateway, tool: string, model: string): string => {
  const args = ["--conditions=model-gateway-source", main, "connect", tool, "--model", model, "--url", url]
  const text = execFileSync(process.execPath, args, {
    encoding: "utf8",
    env: { GATEWAY_API_KEY: key },
    stdio: ["ignore", "pipe", "ignore"]
  })
  if (text.includes(key)) throw new Error("It prints the key.")
  return text
}

/** The variables that a shell has exported after it read the text. */
export const exported = (text: string, key: string): Record<string, string> => {
  const said = shell(`${text}\nexec env -0`, key)
  const all = said.split("\0").flatMap((line) => {
    const [, name, value] = /^(\w+)=([^]*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(all)
}

/** The arguments with which a shell that reads the text calls the program. */
export const argumentsOf = (text: string, program: string, key: string): ReadonlyArray<string> =>
  shell(`${program}() { printf '%s\\0' "$@"; }\n${text}`, key).split("\0").slice(0, -1)

const shell = (script: string, key: string): string =>
  execFileSync("sh", ["-c", script], { encoding: "utf8", env: { PATH: "/usr/bin:/bin", GATEWAY_API_KEY: key } })
