/** The real gateway and a server that plays scripts, once for all test files. */
import type { TestProject } from "vitest/node"
import { masterKey } from "../../../conformance/src/Gateway.ts"
import { startSuite } from "../../../conformance/src/Suite.ts"

export interface EditorServers {
  readonly url: string
  readonly foreign: string
  readonly masterKey: string
}

declare module "vitest" {
  interface ProvidedContext {
    editorServers: EditorServers
  }
}

export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const suite = await startSuite()
  provide("editorServers", { url: suite.gateway.url, foreign: suite.foreign.url, masterKey })
  return () => suite.stop()
}
