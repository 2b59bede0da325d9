/** `model-gateway router train`: a router model learnt from an operator's own outcomes. */
import { basename } from "node:path"
import { Clock, Console, DateTime, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { defaultModel } from "@model-gateway/gateway/internal/classifier/model/Builtin"
import { learn } from "@model-gateway/router-lab/training/Learn"
import { SHIPPED } from "@model-gateway/gateway/internal/classifier/model/Pools"
import { poolScore, rankOf } from "@model-gateway/gateway/internal/classifier/model/Model"
import type { TrainingCard, ModelFile } from "@model-gateway/gateway/internal/classifier/model/ModelFile"
import { deploymentsOf, type Sides } from "@model-gateway/router-lab/training/Sides"
import { compare, type Comparison, measures } from "@model-gateway/router-lab/evaluation/Trial"
import {
  type Completed,
  completed,
  reduceRow,
  type Sided,
  sidedRows
} from "@model-gateway/router-lab/training/TrainingRows"
import { CommandFailed } from "../Failure.ts"
import { count } from "../output/TextOutput.ts"
import { comparisonTable, deploymentTable, spread, verdict } from "../output/TrainView.ts"
import { readRows } from "./ReadRows.ts"
import { chosenSides, sideFlags } from "./SideFlags.ts"
import { checkTarget, writeModel } from "./WriteModel.ts"
import { textFlag } from "../Flags.ts"

/** Fewer rows are not significant. */
const LEAST_ROWS = 50
/** … and of these must know each side. */
const LEAST_OF_A_SIDE = 20

export const train = Command.make(
  "train",
  {
    file: Argument.String("outcomes.jsonl").pipe(
      Argument.withDescription(
        'one JSON object per line: {"prompt": "…", "outcomes": {"<deployment>": {"quality": 0.5, "cost_usd": 0.001}}}'
      )
    ),
    out: textFlag("out", "FILE", "the model file to write; an existing one is replaced (default: my-router.json)").pipe(
      Flag.withDefault("my-router.json")
    ),
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("the same file and seed give the same model (default: 1)"),
      Flag.withDefault(1)
    ),
    ...sideFlags
  },
  Effect.fn("router.train")(function* ({ file, out, seed, ...flags }) {
    yield* checkTarget(out)
    const { rows, total, useful } = yield* readRows(file, {
      seed,
      keep: reduceRow,
      refusal: "can't be learnt from, and nothing was written"
    })
    if (rows.length < useful) {
      yield* Console.log(`${file} is large; learning from ${count(rows.length)} rows of it, chosen at random.`)
    }
    const sides = yield* chosenSides(rows, flags)
    yield* Console.log(deploymentTable(deploymentsOf(rows), sides))
    const usable = sidedRows(rows, sides)
    yield* Console.log(usage(total, useful, usable))
    yield* checkKnown(file, usable)
    const training = completed(usable)
    yield* checkGap(file, training)

    const learnt = learn(defaultModel, training, seed)
    const before = training.map(({ features, words }) => poolScore(defaultModel, features, words))
    const comparison = compare(training, before, learnt.unseen, seed)
    yield* Console.log(comparisonTable(comparison))
    yield* Console.log(verdict(comparison))
    yield* Console.log(spread(Array.from(learnt.unseen, (score) => rankOf(learnt.quantiles, score))))
    if (comparison.lead.interval[1] < 0) {
      return yield* new CommandFailed({
        message: "Nothing was written: on rows it had not seen, what was learnt is worse than the model that ships."
      })
    }
    const now = yield* Clock.currentTimeMillis
    const date = DateTime.formatIsoDate(DateTime.makeUnsafe(now))
    const model: ModelFile = {
      ...defaultModel.file,
      pool: SHIPPED,
      tuned: learnt.tuned,
      quantiles: learnt.quantiles,
      card: cardOf({ file, date, seed, rows: usable.length, comparison, sides })
    }
    const bytes = yield* writeModel(out, model)
    yield* Console.log(
      `Wrote ${out} (${count(bytes)} bytes), learnt from all ${count(usable.length)} prompts. To route by it: \`router: { model: ${out} }\` in the configuration.`
    )
  })
).pipe(
  Command.withDescription(
    "Learn from outcomes which prompts need the strong deployments, on top of the model that ships, and write a model for `router.model`. Some rows are kept aside to measure the new model. Needs no gateway and no network. Exits with code 1 and writes nothing if the file has errors or too few rows, or if the new model is no better."
  ),
  Command.withShortDescription("Train a router model on your own outcomes"),
  Command.withExamples([
    { command: "model-gateway router train outcomes.jsonl --out my-router.json" },
    {
      command: "model-gateway router train outcomes.jsonl --weak small --strong large,huge",
      description: "Say which deployments are which"
    }
  ])
)

const isWhole = ({ strong, weak }: Sided): boolean => weak !== undefined && strong !== undefined

const usage = (total: number, useful: number, usable: ReadonlyArray<Sided>): string => {
  const whole = usable.filter(isWhole).length
  const onlyFeatures = usable.filter(({ words }) => words === null).length
  return [
    `${count(total)} rows, ${count(useful)} of them with a prompt and a grade: ${count(usable.length)} ${usable.length === 1 ? "prompt" : "prompts"} to learn from; of ${count(whole)} both sides are known`,
    ...(whole < usable.length
      ? [`, of ${count(usable.length - whole)} one: the other is estimated from prompts like it, and they count half`]
      : []),
    ...(onlyFeatures > 0
      ? [`; of ${count(onlyFeatures)} the features are known and no text, which teaches nothing about words`]
      : []),
    "."
  ].join("")
}

const refusal = (file: string, why: string) => new CommandFailed({ message: `${file}: ${why} Nothing was written.` })

const checkKnown = Effect.fnUntraced(function* (file: string, usable: ReadonlyArray<Sided>) {
  if (usable.length < LEAST_ROWS) {
    return yield* refusal(
      file,
      `${usable.length} usable ${usable.length === 1 ? "row is" : "rows are"} too few to distinguish learning from chance; at least ${LEAST_ROWS} with different prompts are needed, and about 500 for a reliable gain.`
    )
  }
  const weak = usable.filter((row) => row.weak !== undefined).length
  const strong = usable.filter((row) => row.strong !== undefined).length
  if (Math.min(weak, strong) < LEAST_OF_A_SIDE) {
    return yield* refusal(
      file,
      `the weak side is known of ${weak} prompts and the strong side of ${strong}; at least ${LEAST_OF_A_SIDE} of each are needed.`
    )
  }
})

const checkGap = Effect.fnUntraced(function* (file: string, rows: ReadonlyArray<Completed>) {
  const gap = rows.reduce((sum, row) => sum + row.importance * row.gap, 0)
  if (gap > 0) return
  return yield* refusal(
    file,
    "the strong side's responses are no better than the weak side's, so sending it prompts gains nothing. If the sides are wrong, name them with --weak and --strong."
  )
})

interface CardFacts {
  readonly file: string
  readonly date: string
  readonly seed: number
  readonly rows: number
  readonly comparison: Comparison
  readonly sides: Sides
}

const cardOf = ({ comparison, date, file, rows, seed, sides }: CardFacts): TrainingCard => ({
  ...defaultModel.file.card,
  name: "tuned",
  date,
  seed,
  data: [...defaultModel.file.card.data, { source: basename(file), rows, licence: "the operator's own" }],
  evaluation: measures.flatMap(({ key, name }) =>
    (["before", "after"] as const).flatMap((when) => {
      const { interval, value } = comparison[when][key]
      if (Number.isNaN(value)) return []
      const [low, high] = interval
      return {
        measure: `${name}, ${when === "before" ? "model that ships" : "learnt"}, prompts not learnt from`,
        value: Number(value.toFixed(4)),
        ...(Number.isNaN(low) ? {} : { low: Number(low.toFixed(4)), high: Number(high.toFixed(4)) }),
        prompts: comparison.rows
      }
    })
  ),
  weaknesses: [
    `Trained to predict when ${sides.strong.join(", ")} responds better than ${sides.weak.join(", ")}; other deployments may differ.`,
    ...defaultModel.file.card.weaknesses
  ]
})
