/**
 * `model-gateway router eval`: how good is the router on outcomes that are known?
 */
import { Console, Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { defaultModel } from "../../router/DefaultModel.ts"
import { seededRandom } from "../../router/Evaluation.ts"
import { evaluate as evaluateRows } from "../../router/evaluation/Evaluate.ts"
import { prepare } from "../../router/Model.ts"
import { decodeModelFile } from "../../router/ModelFile.ts"
import { CommandFailed } from "../Failure.ts"
import { evaluationAsJson, evaluationAsText } from "../output/EvaluationView.ts"
import { outcomesIn, textOf } from "./OutcomesFile.ts"

const modelIn = Effect.fnUntraced(function* (file: string) {
  const text = yield* textOf(file)
  return yield* Effect.fromResult(
    Result.mapBoth(decodeModelFile(text), {
      onSuccess: (decoded) => prepare(decoded),
      onFailure: ({ message }) => new CommandFailed({ message: `${file}: ${message}` })
    })
  )
})

const deployment = (name: "weak" | "strong", rule: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("DEPLOYMENT"),
    Flag.withDescription(`the ${name} deployment, as the file names it (default: ${rule})`),
    Flag.optional
  )

export const evaluate = Command.make(
  "eval",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        'the outcomes, a JSON object a line: {"prompt": "…", "outcomes": {"<deployment>": {"quality": 0.5, "cost_usd": 0.001}}}'
      )
    ),
    model: Flag.String("model").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("a trained model (default: the one that ships)"),
      Flag.optional
    ),
    weak: deployment("weak", "the cheapest"),
    strong: deployment("strong", "the one with the best answers"),
    seed: Flag.Int("seed").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("of the draws that the intervals are made from (default: 1)"),
      Flag.withDefault(1)
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("print JSON instead of text for people"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    )
  },
  Effect.fn("router.eval")(function* ({ file, json, model: modelFile, seed, strong, weak }) {
    const rows = yield* outcomesIn(file)
    const model = yield* Option.match(modelFile, { onNone: () => Effect.succeed(defaultModel), onSome: modelIn })
    const pair = {
      ...(Option.isSome(weak) ? { weak: weak.value } : {}),
      ...(Option.isSome(strong) ? { strong: strong.value } : {})
    }
    const evaluation = yield* Effect.fromResult(
      Result.mapError(
        evaluateRows(rows, { model, random: seededRandom(seed), pair }),
        (why) => new CommandFailed({ message: `${file}: ${why}.` })
      )
    )
    const found = { file, rows: rows.length, model: model.file.card.name, evaluation }
    yield* Console.log(json ? evaluationAsJson(found) : evaluationAsText(found))
  })
).pipe(
  Command.withDescription(
    "Rank the prompts of an outcomes file by the router's score and say what that ranking is worth: how many calls to the strong deployment it saves, beside a ranking by lot, by prompt length and by an oracle that has seen the answers. Reads the file and nothing else. Rows that a model was trained on flatter it."
  ),
  Command.withShortDescription("Measure the router on known outcomes"),
  Command.withExamples([
    { command: "model-gateway router eval outcomes.jsonl", description: "The model that ships" },
    { command: "model-gateway router eval outcomes.jsonl --model my-router.json --weak small --strong large --json" }
  ])
)
