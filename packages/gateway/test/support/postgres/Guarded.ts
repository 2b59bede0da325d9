/** A server of one's own that speaks TLS and asks for passwords, for what can go wrong on the way in. */
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { findPrograms } from "../../../../../scripts/postgres/Programs.ts"
import { forTests, startServer } from "../../../../../scripts/postgres/Server.ts"
import { certificates } from "../Certificates.ts"
import { isSkipped } from "./Databases.ts"

const programs = isSkipped ? undefined : await findPrograms()

/** Whether a server can be started here; one that is only given by its URL can't. */
export const canStart = programs !== undefined

if (!isSkipped && !canStart) console.log("SKIP tests that start a Postgres of their own: initdb and postgres not found")

/** A server that a test may do with what it likes, gone with the scope. */
export const ownServer = (settings: ReadonlyArray<string> = []) =>
  Effect.acquireRelease(
    programs === undefined
      ? Effect.die(new Error("no PostgreSQL that could be started"))
      : Effect.promise(() => startServer({ bin: programs.bin, settings: [...forTests, ...settings] })),
    (started) => Effect.promise(() => started.remove())
  )

/** `locked` has to give a password, `sealed` to encrypt; others come as they are. */
const rules = `
host    all locked 127.0.0.1/32 scram-sha-256
hostssl all sealed 127.0.0.1/32 trust
host    all sealed 127.0.0.1/32 reject
host    all all    127.0.0.1/32 trust
`

const NOBODY = 65_534

/** The URL of its database. `isFor`: whom its certificate is for; "nobody": it offers no TLS. */
export const guarded = (isFor: "server" | "elsewhere" | "nobody") =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-postgres-tls-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    writeFileSync(join(folder, "hba.conf"), rules)
    const settings = [`hba_file=${join(folder, "hba.conf")}`]
    if (isFor !== "nobody") {
      copyFileSync(join(certificates, `${isFor}.pem`), join(folder, "server.pem"))
      copyFileSync(join(certificates, "server.key"), join(folder, "server.key"))
      settings.push(
        "ssl=on",
        `ssl_cert_file=${join(folder, "server.pem")}`,
        `ssl_key_file=${join(folder, "server.key")}`
      )
    }
    if (process.getuid?.() === 0) {
      const files = isFor === "nobody" ? ["hba.conf"] : ["hba.conf", "server.pem", "server.key"]
      for (const path of [folder, ...files.map((file) => join(folder, file))]) chownSync(path, NOBODY, NOBODY)
    }
    if (isFor !== "nobody") chmodSync(join(folder, "server.key"), 0o600)
    return yield* ownServer(settings)
  })
