/** A gateway for the tests of one file. */
import { afterAll, beforeAll } from "@effect/vitest"
import { Gateway } from "./Gateway.ts"
import { demoYaml, type RunningProcess, startProcess } from "./GatewayProcess.ts"

/** The gateway of a test file: started before its tests, gone after them. Call it at the file's top level. */
export const useGateway = (yaml: string = demoYaml): (() => Gateway) => {
  let started: { readonly gateway: Gateway; readonly running: RunningProcess } | undefined
  beforeAll(async () => {
    const running = await startProcess(yaml)
    started = { running, gateway: new Gateway(running) }
  }, 60_000)
  afterAll(async () => {
    await started?.running.stop()
  })
  return () => {
    if (started === undefined) throw new Error("The gateway runs while the tests of this file do, not before.")
    return started.gateway
  }
}
