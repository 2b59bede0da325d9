/** `model-gateway providers`: the vendors that a configuration may name. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { nearestNames } from "@model-gateway/gateway/internal/core/collections/NearestNames"
import { registryOf } from "@model-gateway/gateway/internal/providers/catalogue/ProviderRegistry"
import { vendorRow } from "../catalogue/VendorTable.ts"
import { allVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
import { CommandFailed } from "../Failure.ts"
import { vendorAsText, vendorsAsText } from "../output/VendorView.ts"
import { toggle } from "../Flags.ts"

export const providers = Command.make(
  "providers",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("show everything about this vendor"),
      Argument.optional
    ),
    json: toggle("json", "print JSON instead of text for people")
  },
  Effect.fn("providers")(function* ({ json, name }) {
    const registry = registryOf()
    const rows = allVendors.map((vendor) => vendorRow(vendor, registry))
    if (name._tag === "None") {
      return yield* Console.log(json ? JSON.stringify({ providers: rows }, null, 2) : vendorsAsText(rows))
    }
    const found = rows.find((row) => row.name === name.value)
    if (found === undefined) {
      const near = nearestNames(
        name.value,
        rows.map((row) => row.name)
      )
      const hint = near.length === 0 ? "" : `; did you mean ${near.join(", ")}?`
      const message = `There is no vendor ${JSON.stringify(name.value)}${hint} (model-gateway providers lists them)`
      return yield* new CommandFailed({ message })
    }
    yield* Console.log(json ? JSON.stringify(found, null, 2) : vendorAsText(found))
  })
).pipe(
  Command.withDescription(
    "List the vendors that a configuration may name: what each serves, the environment variable of its key, and how well it is tested. With a name: its address, settings, deviations from its protocol, and the source of each fact."
  ),
  Command.withShortDescription("List vendors and their capabilities"),
  Command.withExamples([
    { command: "model-gateway providers", description: "All of them" },
    { command: "model-gateway providers azure", description: "One, with its settings, notes and sources" },
    { command: "model-gateway providers --json" }
  ])
)
