/** Certificates for TLS: to Postgres, and to providers. */
import { readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Made once by `openssl`, good for a hundred years: `authority` signed `server` (localhost, 127.0.0.1) and `elsewhere` (db.example.com), both
 * with `server.key`. `stranger` signed nothing.
 */
export const certificates = join(import.meta.dirname, "certificates")

export const certificate = (name: "authority" | "stranger"): string =>
  readFileSync(join(certificates, `${name}.pem`), "utf8")
