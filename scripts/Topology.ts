/** Which gateways a script tries, as its options say. */
import type { ParseArgsOptionsConfig } from "node:util"
import type { Topology } from "../packages/gateway/test/acceptance/fleet/Fleets.ts"
import { refuse, whole } from "./CommandLine.ts"
import { findPrograms, withStandbys } from "./postgres/Programs.ts"

export const topologyOptions = {
  nodes: { type: "string" }
} satisfies ParseArgsOptionsConfig

export const topologyHelp = `--nodes N     so many gateways, which share one Postgres; it is started for this`

interface Given {
  readonly nodes?: string | undefined
  readonly standby?: boolean
  readonly engines?: string | undefined
}

/** Ends with exit code 2 where they make no sense or can't be had. */
export const topologyOf = async ({ engines, nodes, standby = false }: Given): Promise<Topology> => {
  if (nodes === undefined) {
    if (standby) refuse("--standby needs --nodes: a standby is one of Postgres")
    if (engines !== undefined) refuse("--engines needs --nodes: the engine is that of Postgres")
    return "file"
  }
  const count = whole("nodes", nodes, 1)
  const programs = standby ? withStandbys() : await findPrograms()
  if (programs === undefined)
    refuse(
      standby
        ? "--standby needs initdb, postgres and pg_basebackup on the PATH"
        : "--nodes needs PostgreSQL: npm can't be reached, and there are no initdb and postgres on the PATH"
    )
  const own = { nodes: count, bin: programs.bin, settings: ["max_connections=300"], withStandby: standby }
  return engines === undefined ? own : { ...own, engines: whole("engines", engines, 0) }
}

/** "" for one gateway on a file, else "3 gateways on one Postgres". */
export const described = (topology: Topology): string => {
  if (topology === "file") return ""
  return `${topology.nodes} gateways on one Postgres${topology.withStandby === true ? " with a standby" : ""}`
}
