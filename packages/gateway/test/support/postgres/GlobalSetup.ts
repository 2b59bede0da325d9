/**
 * One Postgres for all test files, started beside them: files that need none never wait for it. `GATEWAY_TEST_POSTGRES` names one that is
 * there, with a role that may create databases; else one of npm is started, or the machine's.
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { findPrograms, onPath } from "../../../../../scripts/postgres/Programs.ts"
import { forTests, type PostgresServer, startServer } from "../../../../../scripts/postgres/Server.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** A file that is there once it is known where Postgres is: `PostgresState` as JSON. */
    postgres: string
  }
}

/** Where it is, or why there is none. */
export type PostgresState = { readonly url: string } | { readonly missing: string }

const MISSING = "no PostgreSQL: npm can't be reached, and there are no initdb and postgres on the PATH"

export default ({ provide }: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-postgres-tests-"))
  const file = join(folder, "state.json")
  provide("postgres", file)
  const tell = (state: PostgresState): void => {
    writeFileSync(`${file}.new`, JSON.stringify(state))
    renameSync(`${file}.new`, file)
  }
  const starting = start().then(
    (server) => {
      tell(
        typeof server === "string"
          ? { url: server }
          : server === undefined
            ? { missing: MISSING }
            : { url: server.url() }
      )
      return server
    },
    (error: Error) => tell({ missing: error.message })
  )
  return async (): Promise<void> => {
    const server = await starting
    if (typeof server === "object") await server.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

const start = async (): Promise<PostgresServer | string | undefined> => {
  const given = process.env["GATEWAY_TEST_POSTGRES"]
  if (given !== undefined) return given
  const programs = await findPrograms()
  if (programs === undefined) return undefined
  try {
    return await startServer({ bin: programs.bin, settings: forTests })
  } catch (error) {
    // npm's may lack what a machine does not have.
    const other = onPath()
    if (other === undefined || programs.from === "PATH") throw error
    return await startServer({ bin: other.bin, settings: forTests })
  }
}
