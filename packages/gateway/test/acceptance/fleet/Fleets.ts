/** The gateways that a run is given. */
import { onFile } from "./OnFile.ts"
import { onPostgres, type OnPostgresOptions } from "./OnPostgres.ts"

/** Workers of one gateway on a file, or gateways on one Postgres. */
export type Topology = { readonly workers: number } | OnPostgresOptions

export const fleetOf = (topology: Topology, yaml: string) =>
  "workers" in topology ? onFile(topology.workers, yaml) : onPostgres(topology, yaml)
