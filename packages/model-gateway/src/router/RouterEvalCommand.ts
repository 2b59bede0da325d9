/** `model-gateway router eval`: how good is the router on outcomes that are known? */
import { Console, Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { defaultModel } from "@model-gateway/gateway/internal/classifier/model/Builtin"
import { seededRandom } from "@model-gateway/router-lab/SeededRandom"
import { evaluate as evaluateRows, scoreRow } from "@model-gateway/router-lab/evaluation/Evaluate"
import { CommandFailed } from "../Failure.ts"
import { evaluationAsJson, evaluationAsText } from "../output/EvaluationView.ts"
import { modelNamed } from "./NamedModel.ts"
import { readRows } from "./ReadRows.ts"
import { chosenSides, sideFlags } from "./SideFlags.ts"
import { optionalText, toggle } from "../Flags.ts"

export const evaluate = Command.make(
  "eval",
  {
    file: Argument.String("outcomes.jsonl").pipe(
      Argument.withDescription(
        'one JSON object per line: {"prompt": "…", "outcomes": {"<deployment>": {"quality": 0.5, "cost_usd": 0.001}}}'
      )
    ),
    model: optionalText(
      "model",
      "FILE",
      "a model that `router train` wrote, or builtin@1 (default: the shipped model)"
    ),
    ...sideFlags,
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("seed for the random samples of the intervals (default: 1)"),
      Flag.withDefault(1)
    ),
    json: toggle("json", "print JSON instead of text for people")
  },
  Effect.fn("router.eval")(function* ({ file, json, model: modelFile, seed, ...flags }) {
    const model = yield* Option.match(modelFile, { onNone: () => Effect.succeed(defaultModel), onSome: modelNamed })
    const { rows, total, useful } = yield* readRows(file, { seed, keep: scoreRow(model), refusal: "can't be used" })
    const sides = yield* chosenSides(rows, flags)
    const evaluation = yield* Effect.fromResult(
      Result.mapError(
        evaluateRows(rows, sides, seededRandom(seed)),
        (why) => new CommandFailed({ message: `${file}: ${why}.` })
      )
    )
    const found = {
      file,
      total,
      sample: rows.length < useful ? rows.length : undefined,
      model: model.file.card.name,
      evaluation
    }
    yield* Console.log(json ? evaluationAsJson(found) : evaluationAsText(found))
  })
).pipe(
  Command.withDescription(
    "Rank the prompts of an outcomes file by the router's score and show how many calls to the strong side that ranking saves. It is compared with a random ranking, a ranking by prompt length and an oracle that knows the outcomes. Needs no gateway and no network. Rows that the model was trained on make it look better than it is."
  ),
  Command.withShortDescription("Measure the router on known outcomes"),
  Command.withExamples([
    { command: "model-gateway router eval outcomes.jsonl", description: "The model that ships" },
    { command: "model-gateway router eval outcomes.jsonl --model my-router.json --weak small --strong large --json" }
  ])
)
