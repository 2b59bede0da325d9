/** The gateway and the server that plays scripts, once for all test files. */
import type { TestProject } from "vitest/node"
import { masterKey } from "../../../conformance/src/Gateway.ts"
import { startSuite } from "../../../conformance/src/Suite.ts"

export interface Servers {
  readonly url: string
  readonly foreign: string
  readonly masterKey: string
  /** Without limits. */
  readonly apiKey: string
}

declare module "vitest" {
  interface ProvidedContext {
    servers: Servers
  }
}

export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const suite = await startSuite()
  const { key } = await suite.gateway.admin("POST", "/admin/keys", {})
  provide("servers", { url: suite.gateway.url, foreign: suite.foreign.url, masterKey, apiKey: String(key) })
  return () => suite.stop()
}
