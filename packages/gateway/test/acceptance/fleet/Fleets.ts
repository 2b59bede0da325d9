/** The gateways that a run is given. */
import { onFile } from "./OnFile.ts"
import { onPostgres, type OnPostgresOptions } from "./OnPostgres.ts"

/** One gateway on a SQLite file, or several on one Postgres. */
export type Topology = "file" | OnPostgresOptions

export const fleetOf = (topology: Topology, yaml: string) =>
  topology === "file" ? onFile(yaml) : onPostgres(topology, yaml)
