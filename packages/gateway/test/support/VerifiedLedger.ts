/** What `model-gateway ledger verify` says of a store, from a process of its own. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"

const main = join(import.meta.dirname, "../../../model-gateway/src/main.ts")

export interface VerifiedLedger {
  /** Closed rows, and open ones. */
  readonly rows: number
  readonly open: number
  /** A line for each difference, and for everything else that is wrong. Empty when all is well. */
  readonly problems: ReadonlyArray<string>
}

/** `args` name the store, or a configuration that does. */
export const verifiedLedger = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Effect.Effect<VerifiedLedger> =>
  Effect.callback((resume) => {
    const all = ["--conditions=model-gateway-source", main, "ledger", "verify", "--json", ...args]
    const options = { maxBuffer: 2 ** 28, env: { ...process.env, ...environment } }
    execFile(process.execPath, all, options, (_, stdout, stderr) => {
      if (stdout === "") return resume(Effect.succeed({ rows: 0, open: 0, problems: [stderr] }))
      const { differences, open, rows } = JSON.parse(stdout)
      const problems = differences.map((difference: object) => `ledger verify: ${JSON.stringify(difference)}`)
      resume(Effect.succeed({ rows, open: open.rows, problems }))
    })
  })
