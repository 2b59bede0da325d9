/** Clients of the servers that all test files share. */
import { inject } from "vitest"
import type { Seen } from "../../../conformance/src/Foreign.ts"
import { Gateway, type GatewayOptions } from "../../src/index.ts"

export const servers = () => inject("servers")

/** A client of the real gateway. */
export const gateway = (options: GatewayOptions = {}): Gateway => {
  const { apiKey, masterKey, url } = servers()
  return new Gateway({ baseUrl: url, apiKey, masterKey, ...options })
}

let asker = 0

/** A client of the server that plays a script; its requests are counted alone. */
export const scripted = (script: string, options: GatewayOptions = {}): Gateway =>
  new Gateway({ baseUrl: scriptUrl(script), apiKey: "mgw_scripted", ...options })

export const scriptUrl = (script: string): string => `${servers().foreign}/${script}/vitest-${process.pid}-${asker++}`

export const hello = { model: "demo/mini", messages: [{ role: "user", content: "Hello" }] } as const

/** What the server that plays a script has seen at an address of `scriptUrl`. */
const requestsOf = async (baseUrl: string): Promise<ReadonlyArray<Seen>> =>
  (await fetch(`${baseUrl}/_seen`)).json() as Promise<ReadonlyArray<Seen>>

/** What a promise is rejected with. */
export const failure = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("It did not fail.")
}

const LONGEST_MS = 20_000

/** Waits for what comes a moment later. */
export const until = async (look: () => Promise<boolean>): Promise<void> => {
  for (const deadline = performance.now() + LONGEST_MS; performance.now() < deadline;) {
    if (await look()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error("It never came.")
}

/** Completes when the first request at an address of `scriptUrl` was left before its answer was whole. */
export const closedEarly = async (baseUrl: string): Promise<boolean> => {
  await until(async () => (await requestsOf(baseUrl))[0]?.closed_early === true)
  return true
}
