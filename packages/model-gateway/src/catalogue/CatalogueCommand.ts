/** `model-gateway catalogue`: the facts about models that the gateway works with. */
import { Clock, Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { CatalogueFile } from "@model-gateway/gateway/internal/core/domain/models/CatalogueFormat"
import { nearestNames } from "@model-gateway/gateway/internal/core/collections/NearestNames"
import { resolveDeployments } from "@model-gateway/gateway/internal/providers/catalogue/ResolveDeployments"
import { changesBetween } from "./Compare.ts"
import { baseOf, layeredCatalogue, strayNames } from "@model-gateway/gateway/internal/providers/catalogue/facts/Layers"
import { writeCatalogue } from "@model-gateway/gateway/internal/providers/catalogue/facts/LoadFile"
import { ignoredRules } from "@model-gateway/gateway/internal/providers/catalogue/facts/ReadCatalogue"
import { modelNotes } from "./Notes.ts"
import { catalogueOf } from "@model-gateway/gateway/internal/providers/catalogue/facts/CatalogueInForce"
import { fileToRead } from "../ConfigurationFile.ts"
import { CommandFailed } from "../Failure.ts"
import { changesAsText, modelAsText } from "../output/CatalogueView.ts"
import { catalogueNamed, configured } from "./Sources.ts"
import { textFlag, toggle } from "../Flags.ts"

const config = fileToRead("the configuration file that names the catalogue")

const show = Command.make(
  "show",
  { config, model: Argument.String("model").pipe(Argument.withDescription("vendor/id, or an id alone")) },
  Effect.fn("catalogue.show")(function* ({ config, model }) {
    const catalogue = layeredCatalogue((yield* configured(config)).catalogue)
    const names = Object.keys(catalogue.file.models)
    const at = model.indexOf("/")
    const asked = at < 0 ? undefined : catalogue.find(model.slice(0, at), model.slice(at + 1))
    const isFound = asked !== undefined && asked.facts.how !== "unknown"
    const found = isFound ? [model] : names.filter((name) => name.slice(name.indexOf("/") + 1) === model)
    if (found.length === 0) {
      const near = nearestNames(model, names)
      const hint = near.length === 0 ? "" : `; did you mean ${near.join(", ")}?`
      const message = `Catalogue ${catalogue.version} has no model ${JSON.stringify(model)}${hint}`
      return yield* new CommandFailed({ message })
    }
    const one = (name: string) => {
      const slash = name.indexOf("/")
      return modelAsText(name, catalogue.find(name.slice(0, slash), name.slice(slash + 1)), catalogue)
    }
    yield* Console.log(found.map(one).join("\n\n"))
  })
).pipe(
  Command.withDescription(
    "Show everything in the catalogue about a model: limits, behaviour, rules, prices, dates and sources."
  ),
  Command.withShortDescription("Show a model"),
  Command.withExamples([{ command: "model-gateway catalogue show gpt-6.2-sol" }])
)

const check = Command.make(
  "check",
  { config },
  Effect.fn("catalogue.check")(function* ({ config }) {
    const { catalogue, settings } = yield* configured(config)
    const { file, layer } = baseOf(catalogue.loaded)
    yield* Console.log(`catalogue ${file.version} (${layer}, made ${file.made})`)
    const deployments =
      settings === undefined ? [] : resolveDeployments(settings, undefined, layeredCatalogue(catalogue))
    const older =
      layer === "shipped" && catalogue.loaded !== undefined
        ? [`${catalogue.file} was made before the catalogue that ships, and is not used: it can be deleted`]
        : []
    const { learnt } = catalogue
    if (learnt.loaded !== undefined) {
      yield* Console.log(
        `learnt of ${Object.keys(learnt.loaded.models).length} models (${learnt.file}, made ${learnt.loaded.made})`
      )
    }
    const problems = [catalogue.problem, learnt.problem].filter((problem) => problem !== undefined)
    const notes = [
      ...problems,
      ...older,
      ...strayNames(catalogue),
      ...ignoredRules(file),
      ...modelNotes(deployments, yield* Clock.currentTimeMillis)
    ]
    if (notes.length === 0) return yield* Console.log(`✓ ${deployments.length} deployments: nothing to do`)
    yield* Console.log(notes.map((note) => `! ${note}`).join("\n"))
    const message = `${notes.length === 1 ? "One thing needs" : `${notes.length} things need`} a look.`
    return yield* new CommandFailed({ message })
  })
).pipe(
  Command.withDescription(
    "Check the catalogue and the deployments against it: models that shut down within 60 days or are replaced by another one, prices that change, unknown models. Exits with code 1 if there are findings."
  ),
  Command.withShortDescription("Check deployments against the catalogue"),
  Command.withExamples([{ command: "model-gateway catalogue check" }])
)

const printIgnored = (file: CatalogueFile) => Effect.forEach(ignoredRules(file), (one) => Console.log(`! ${one}`))

const diff = Command.make(
  "diff",
  {
    config,
    before: Argument.String("before").pipe(Argument.withDescription("`shipped`, `loaded`, `learnt` or a file")),
    after: Argument.String("after").pipe(Argument.withDescription("the same"))
  },
  Effect.fn("catalogue.diff")(function* ({ after, before, config }) {
    const { catalogue } = yield* configured(config)
    const [a, b] = [yield* catalogueNamed(before, catalogue), yield* catalogueNamed(after, catalogue)]
    yield* Console.log(`${a.version} → ${b.version}`)
    yield* Console.log(changesAsText(changesBetween(a, b, yield* Clock.currentTimeMillis)))
    yield* printIgnored(b.file)
  })
).pipe(
  Command.withDescription(
    "Compare two catalogues, model by model. Marks: + new, - removed, ↑ tighter (a higher price, a lower limit, a new rule), ↓ looser (a lower price, a higher limit, a removed refusal), ~ other."
  ),
  Command.withShortDescription("Compare two catalogues"),
  Command.withExamples([
    { command: "model-gateway catalogue diff shipped catalogue-2026-12-01.json" },
    { command: "model-gateway catalogue diff shipped learnt", description: "What `check --live --calls` learnt" }
  ])
)

const update = Command.make(
  "update",
  {
    config,
    from: textFlag("from", "FILE", "the newer catalogue file"),
    yes: toggle("yes", "also accept lower prices, higher limits and removed refusals")
  },
  Effect.fn("catalogue.update")(function* ({ config, from, yes }) {
    const { catalogue } = yield* configured(config)
    const now = catalogueOf(baseOf(catalogue.loaded).file)
    const next = yield* catalogueNamed(from, catalogue)
    if (next.made <= now.made) {
      const message = `${from} was made at ${next.made}, not after catalogue ${now.version} (${now.made}): nothing was changed.`
      return yield* new CommandFailed({ message })
    }
    const changes = changesBetween(now, next, yield* Clock.currentTimeMillis)
    yield* Console.log(`${now.version} → ${next.version}\n${changesAsText(changes)}`)
    yield* printIgnored(next.file)
    const looser = changes.filter(({ kind }) => kind === "looser").length
    if (looser > 0 && !yes) {
      const message = `${looser === 1 ? "One change lowers a price, raises a limit or removes a refusal" : `${looser} changes lower prices, raise limits or remove refusals`} (marked ↓): nothing was changed. \`--yes\` takes them.`
      return yield* new CommandFailed({ message })
    }
    yield* Effect.mapError(
      writeCatalogue(catalogue.file, next.file),
      () => new CommandFailed({ message: `${catalogue.file} can't be written: nothing was changed.` })
    )
    yield* Console.log(`${catalogue.file} is written; a running gateway loads it within a second.`)
  })
).pipe(
  Command.withDescription(
    "Install a newer catalogue file and print what it changes. Lower prices, higher limits and removed refusals need --yes; without it nothing changes."
  ),
  Command.withShortDescription("Install a newer catalogue"),
  Command.withExamples([{ command: "model-gateway catalogue update --from catalogue-2026-12-01.json" }])
)

export const catalogue = Command.make("catalogue").pipe(
  Command.withDescription("The facts about models that the gateway uses: limits, behaviour, prices and dates."),
  Command.withShortDescription("Show and update the model catalogue"),
  Command.withSubcommands([show, check, diff, update]),
  Command.withExamples([
    { command: "model-gateway catalogue show gpt-6.2-sol" },
    {
      command: "model-gateway catalogue check",
      description: "Shutdowns, redirects and coming prices of the deployments"
    },
    { command: "model-gateway catalogue update --from catalogue-2026-12-01.json" }
  ])
)
