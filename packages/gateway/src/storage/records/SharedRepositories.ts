/** The repositories whose statements SQLite and Postgres both read. */
import { Layer } from "effect"
import * as AlertMarkRows from "./AlertMarkRows.ts"
import * as AuditRows from "./AuditRows.ts"
import * as EndUserRows from "./EndUserRows.ts"
import * as IdentityRows from "./IdentityRows.ts"
import * as RotationRows from "./RotationRows.ts"
import * as SessionRows from "./SessionRows.ts"

export const sharedRepositories = Layer.mergeAll(
  AlertMarkRows.layer,
  AuditRows.layer,
  EndUserRows.layer,
  IdentityRows.layer,
  RotationRows.layer,
  SessionRows.layer
)
