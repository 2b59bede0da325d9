/** `model-gateway check`: what a configuration file means, or everything that is wrong with it. */
import { Clock, Console, Effect } from "effect"
import { Command } from "effect/cli"
import { fileOrFlag, theFile } from "../ConfigurationFile.ts"
import { describeSettings } from "../configuration/Describe.ts"
import { loadSettings } from "@model-gateway/gateway/internal/config/LoadSettings"
import { isUnbounded } from "@model-gateway/gateway/internal/core/bounds/Bounds"
import { type Deployment, isWildcard } from "@model-gateway/gateway/internal/core/domain/Deployment"
import { resolveDeployments } from "@model-gateway/gateway/internal/providers/catalogue/ResolveDeployments"
import { layeredCatalogue } from "@model-gateway/gateway/internal/providers/catalogue/facts/Layers"
import { withCatalogue } from "@model-gateway/gateway/internal/providers/catalogue/facts/LoadFile"
import { mistypedModels, modelNotes } from "../catalogue/Notes.ts"
import { checkProviders } from "../catalogue/LiveCheck.ts"
import { registryOf } from "@model-gateway/gateway/internal/providers/catalogue/ProviderRegistry"
import { HttpTransport } from "@model-gateway/gateway/internal/providers/transport/HttpTransport"
import { knownVendors } from "@model-gateway/gateway/internal/providers/vendors/Vendors"
import { builtinModel, defaultModel } from "@model-gateway/gateway/internal/classifier/model/Builtin"
import { loadModel } from "@model-gateway/gateway/internal/classifier/model/LoadModel"
import { Environment } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"
import { liveReport } from "../output/LiveView.ts"
import { callFlags, checkCalls, checkedFlags } from "./CheckCalls.ts"
import { toggle } from "../Flags.ts"

const modelIn = (name: string) => {
  const builtin = builtinModel(name)
  return builtin === undefined ? modelOf(name) : Effect.succeed(builtin)
}

const modelOf = (file: string) =>
  loadModel(file).pipe(
    Effect.mapBoth({
      onFailure: ({ message }) => new CommandFailed({ message }),
      onSuccess: ({ model }) => model
    })
  )

export const check = Command.make(
  "check",
  {
    ...fileOrFlag,
    live: toggle("live", "also request the model list of each provider: checks keys and deployments"),
    ...callFlags
  },
  Effect.fn("check")(function* (flags) {
    const { calls, live } = flags
    const mistake = checkedFlags(flags)
    if (mistake !== undefined) return yield* mistake
    const environment = yield* Environment
    const config = yield* theFile(flags)
    const settings = yield* withCatalogue(yield* loadSettings({ file: config, vendors: knownVendors, environment }))
    const { file } = settings.router.model === undefined ? defaultModel : yield* modelIn(settings.router.model)
    const catalogue = layeredCatalogue(settings.catalogue)
    const deployments = resolveDeployments(settings, undefined, catalogue)
    // Nothing is known of a wildcard before a caller names a model.
    const single = deployments.filter((one) => !isWildcard(one))
    const idsOf = (which: (deployment: Deployment) => boolean) => new Set(single.filter(which).map(({ id }) => id))
    const unpriced = idsOf(({ price }) => price === undefined)
    const registry = registryOf()
    const speaks = ({ operations, protocol }: Deployment) =>
      [...registry.protocol(protocol).speaks.keys()].filter((name) => operations?.has(name) ?? true)
    const serves = new Map(deployments.map((one) => [one.id, speaks(one)]))
    yield* Console.log(
      describeSettings(settings, { unpriced, unbounded: idsOf(isUnbounded), model: file.card, serves })
    )
    const about = modelNotes(single, yield* Clock.currentTimeMillis).filter((note) => !note.includes("no price"))
    const doubts = [...(settings.warnings ?? []), ...mistypedModels(single, catalogue.file, settings.places)]
    const { learnt, problem } = settings.catalogue ?? {}
    const notes = [...[problem, learnt?.problem].filter((one) => one !== undefined), ...doubts, ...about]
    if (notes.length > 0) yield* Console.log(`\n${notes.map((note) => `! ${note}`).join("\n")}`)
    if (!live) return
    const checks = yield* Effect.scoped(
      Effect.flatMap(HttpTransport.make, (transport) => checkProviders(deployments, registry, transport))
    )
    const { problems, text } = liveReport(checks)
    yield* Console.log(`\n${text}`)
    if (calls) yield* checkCalls(settings, single, checks, flags)
    if (problems === 0) return
    const message = `${problems === 1 ? "One thing is" : `${problems} things are`} not as ${config} has it.`
    return yield* new CommandFailed({ message })
  })
).pipe(
  Command.withDescription(
    "Read a configuration file and show what would run. All errors are shown together, each with its place in the file. With --live it requests the model list of each provider, which costs nothing. With --live --calls it also calls each deployment, after a confirmation: small requests with tools, an effort, a schema and an image, for at most 0.05 USD in total. The results are written to catalogue.learnt.json beside the store, which the gateway reads; gateway.yaml is not changed."
  ),
  Command.withShortDescription("Check a configuration file and show what would run"),
  Command.withExamples([
    { command: "model-gateway check", description: "gateway.yaml of this folder" },
    { command: "model-gateway check prod.toml" },
    {
      command: "model-gateway check --live",
      description: "Call the providers too; exits with code 1 if a key is refused or a model is missing"
    },
    {
      command: "model-gateway check --live --calls --yes --max-usd 0.02",
      description: "Call each deployment without a confirmation, for at most 2 cents in total"
    }
  ])
)
