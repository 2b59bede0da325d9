/** The gateway that all test files share. Each test has a key of its own, and so its own books and limits. */
import { beforeAll } from "@effect/vitest"
import { inject } from "vitest"
import { Gateway } from "./Gateway.ts"
import { sharedGateway } from "./SharedGateway.ts"

/** The running gateway, once the tests of a file run. Call it at the file's top level. */
export const useGateway = (): (() => Gateway) => {
  let gateway: Gateway | undefined
  beforeAll(async () => {
    gateway = new Gateway(await sharedGateway(inject("sharedGateway")))
  }, 120_000)
  return () => {
    if (gateway === undefined) throw new Error("The gateway is known while the tests of this file run, not before.")
    return gateway
  }
}
