/** How the process that starts the tests tells their workers where the gateway is: by a file, as soon as it listens. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

declare module "vitest" {
  interface ProvidedContext {
    /** The file's path. */
    sharedGateway: string
  }
}

export type Announced = { readonly url: string; readonly store: string } | { readonly failure: string }

/** Whoever looks finds the whole of it or nothing. */
export const announce = (file: string, announced: Announced): void => {
  writeFileSync(`${file}.new`, JSON.stringify(announced))
  renameSync(`${file}.new`, file)
}

/** Completes when the gateway listens; rejects when it could not be started. */
export const sharedGateway = async (file: string): Promise<{ readonly url: string; readonly store: string }> => {
  while (!existsSync(file)) await sleep(20)
  const announced: Announced = JSON.parse(readFileSync(file, "utf8"))
  if ("failure" in announced) throw new Error(announced.failure)
  return announced
}
