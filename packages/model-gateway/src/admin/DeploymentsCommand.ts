/** `model-gateway deployments`: what may be called, and how it is doing. */
import { Console } from "effect"
import { Argument, Command } from "effect/cli"
import { deploymentTable } from "../output/DeploymentView.ts"
import { adminFlags, asking, decodedAndResponse as responseMode } from "./AdminResponse.ts"

const list = Command.make(
  "list",
  adminFlags,
  asking(
    (client) => client.deployments.listDeployments({ responseMode }),
    ({ data }) => Console.log(deploymentTable(data))
  )
).pipe(
  Command.withDescription(
    "List deployments and their health by the traffic of the last 30 seconds: circuit (open: not called for a while), errors, median times."
  ),
  Command.withShortDescription("List deployments and their health"),
  Command.withExamples([{ command: "model-gateway deployments list" }])
)

const ids = Argument.String("id").pipe(
  Argument.withDescription("ids as `deployments list` shows them"),
  Argument.atLeast(1)
)

const disable = Command.make(
  "disable",
  { ids, ...adminFlags },
  asking(
    (client, { ids }) => client.deployments.disableDeployments({ payload: { deployments: ids }, responseMode }),
    ({ data }) => Console.log(deploymentTable(data))
  )
).pipe(
  Command.withDescription(
    "Disable deployments until they are enabled again, across restarts. Requests in flight finish. Either all of them change or none."
  ),
  Command.withShortDescription("Disable deployments"),
  Command.withExamples([{ command: "model-gateway deployments disable openai/gpt-5 openai/gpt-5-mini" }])
)

const enable = Command.make(
  "enable",
  { ids, ...adminFlags },
  asking(
    (client, { ids }) => client.deployments.enableDeployments({ payload: { deployments: ids }, responseMode }),
    ({ data }) => Console.log(deploymentTable(data))
  )
).pipe(
  Command.withDescription("Enable deployments. Either all of them change or none."),
  Command.withShortDescription("Enable deployments"),
  Command.withExamples([{ command: "model-gateway deployments enable openai/gpt-5" }])
)

export const deployments = Command.make("deployments").pipe(
  Command.withDescription("Deployments: models at providers, enabled or disabled."),
  Command.withShortDescription("List, enable and disable deployments"),
  Command.withSubcommands([list, enable, disable]),
  Command.withExamples([{ command: "model-gateway deployments list" }])
)
