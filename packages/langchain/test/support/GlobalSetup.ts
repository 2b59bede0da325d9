/** One gateway for all test files: started before them, gone after them. Nobody waits for it who does not call it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { demoYaml, startProcess } from "./GatewayProcess.ts"
import { announce } from "./SharedGateway.ts"

export default ({ provide }: TestProject): (() => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-langchain-shared-"))
  const file = join(folder, "gateway.json")
  provide("sharedGateway", file)
  const starting = startProcess(demoYaml)
  const announced = starting.then(
    ({ store, url }) => announce(file, { store, url }),
    (error: Error) => announce(file, { failure: error.message })
  )
  return async () => {
    await announced
    await starting.then(({ stop }) => stop()).catch(() => undefined)
    rmSync(folder, { recursive: true, force: true })
  }
}
