/** Ways to take Postgres away from a running gateway, and to give it back. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { PostgresServer } from "../../../../../scripts/postgres/Server.ts"
import { administer } from "./Queries.ts"

export interface Trouble {
  readonly begin: Effect.Effect<void>
  readonly end: Effect.Effect<void>
  /** What `/readyz` says of it. */
  readonly reasons: ReadonlyArray<string>
}

const away = ["unreachable", "lease_over"]

const again = (server: PostgresServer) => Effect.promise(() => server.start())

/** One that has ended since it was listed is none of them any more. */
const signalled = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

/** Its processes: none of them answers, and none hangs up. */
const frozen = (server: PostgresServer): Trouble => {
  const [postmaster = ""] = readFileSync(join(server.folder, "data", "postmaster.pid"), "utf8").split("\n")
  const signal = (name: NodeJS.Signals) =>
    Effect.sync(() => {
      process.kill(Number(postmaster), name)
      const children = execFileSync("ps", ["-o", "pid=", "--ppid", postmaster], { encoding: "utf8" })
      for (const pid of children.split(/\s+/).filter(Boolean)) signalled(Number(pid), name)
    })
  return { begin: signal("SIGSTOP"), end: signal("SIGCONT"), reasons: away }
}

/** As a standby, or a disk that is nearly full. */
const readOnly = (server: PostgresServer): Trouble => {
  const change = (setting: string) =>
    administer(
      server.url(),
      "SET default_transaction_read_only = off",
      `ALTER SYSTEM ${setting}`,
      "SELECT pg_reload_conf()"
    )
  return {
    begin: change("SET default_transaction_read_only = on"),
    end: change("RESET default_transaction_read_only"),
    reasons: ["refused", "lease_over"]
  }
}

export const troubles: { readonly [name: string]: (server: PostgresServer) => Trouble } = {
  crashed: (server) => ({ begin: Effect.promise(() => server.kill()), end: again(server), reasons: away }),
  "shut down": (server) => ({ begin: Effect.promise(() => server.stop()), end: again(server), reasons: away }),
  frozen,
  "read-only": readOnly
}
