/** `model-gateway nodes`: the gateways on one store. */
import type { Node } from "@model-gateway/protocol"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { type Column, table } from "../output/Table.ts"
import { count, milliseconds, orNothing, time } from "../output/TextOutput.ts"
import { adminFlags, asking, decodedAndResponse as responseMode } from "./AdminResponse.ts"

const columns: ReadonlyArray<Column<Node>> = [
  { title: "ID", value: ({ id }) => String(id), align: "right" },
  { title: "NAME", value: ({ is_this, name }) => `${orNothing(name)}${is_this ? " (here)" : ""}`, wraps: true },
  { title: "VERSION", value: ({ version }) => orNothing(version) },
  { title: "STATE", value: ({ state }) => orNothing(state) },
  { title: "SINCE (UTC)", value: ({ since }) => time(since) },
  { title: "LAST BEAT", value: ({ last_beat_at }) => orNothing(last_beat_at?.slice(11, 19)) },
  { title: "LEASE", value: ({ lease_ms }) => milliseconds(lease_ms), align: "right" },
  { title: "LAG", value: ({ flush_lag_ms }) => milliseconds(flush_lag_ms), align: "right" },
  { title: "SHARES", value: ({ shares_held }) => count(shares_held), align: "right" }
]

const list = Command.make(
  "list",
  adminFlags,
  asking(
    (client) => client.nodes.listNodes({ responseMode }),
    ({ data, trouble }) =>
      Effect.andThen(
        Console.log(table(columns, data)),
        trouble === null ? Effect.void : Console.error(`${trouble} The others are shown as they were last known.`)
      )
  )
).pipe(
  Command.withDescription(
    "List the gateway processes that share the store, the longest at work first: working; refusing (the store refuses its writes); silent (not heard of for longer than its lease). Where the store is a file there is one."
  ),
  Command.withShortDescription("List the gateway processes that share the store"),
  Command.withExamples([{ command: "model-gateway nodes list" }])
)

export const nodes = Command.make("nodes").pipe(
  Command.withDescription("The gateway processes that share one store."),
  Command.withShortDescription("List the gateway processes that share the store"),
  Command.withSubcommands([list]),
  Command.withExamples([{ command: "model-gateway nodes list" }])
)
