/** `/admin/info`, `/admin/nodes` and `/admin/config`. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Info } from "../Info.ts"
import { Config, ConfigReload } from "../Config.ts"
import { GuardrailList } from "../Guardrails.ts"
import { NodeList } from "../Nodes.ts"
import { administrative, operating, reading, readingOperations } from "./Administrative.ts"

export const info = HttpApiGroup.make("info")
  .add(
    HttpApiEndpoint.get("getInfo", "/admin/info", { success: Info }).annotateMerge(
      administrative({
        access: { ...reading("info.read"), team_admin: "own" },
        summary: "About the gateway",
        description: "Version, store, prices, and since when it runs."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "About", description: "What runs here." }))

export const guardrails = HttpApiGroup.make("guardrails")
  .add(
    HttpApiEndpoint.get("listGuardrails", "/admin/guardrails", { success: GuardrailList }).annotateMerge(
      administrative({
        access: readingOperations("guardrails.list"),
        summary: "List the guardrails in force",
        description:
          "Checks with their verdicts, policies, and for whom they hold. The configuration file defines them."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Guardrails", description: "Checks of requests and responses." }))

export const nodes = HttpApiGroup.make("nodes")
  .add(
    HttpApiEndpoint.get("listNodes", "/admin/nodes", { success: NodeList }).annotateMerge(
      administrative({
        access: readingOperations("nodes.list"),
        summary: "List the gateways on the store",
        description:
          "As each reports of itself, three times in a lease; while Postgres is away as they were last known, with the reason in `trouble`. Where the store is a file, there is the one process that owns it."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Nodes", description: "The gateways that work on one store." }))

export const config = HttpApiGroup.make("config")
  .add(
    HttpApiEndpoint.get("getConfig", "/admin/config", { success: Config }).annotateMerge(
      administrative({
        access: readingOperations("config.read"),
        summary: "Show the configuration",
        description:
          "The file that the gateway was started with, field by field with its place and without secrets, when it was read, and what a reload would change."
      })
    ),
    HttpApiEndpoint.post("reloadConfig", "/admin/config/reload", { success: ConfigReload }).annotateMerge(
      administrative({
        access: operating("config.reload"),
        summary: "Take over a changed configuration",
        description:
          "Reads the file that the gateway was started with again. When this answers, new requests are served by it; requests in flight end as they began. A file with mistakes changes nothing, and the message lists them all. Circuits, key rests and sessions begin anew."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Configuration", description: "The configuration file, read again." }))
