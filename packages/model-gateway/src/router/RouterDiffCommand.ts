/** `model-gateway router diff`: which of an operator's own prompts another model sends elsewhere. */
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { classify } from "@model-gateway/gateway/internal/classifier/PromptScore"
import { bucketIndexOf } from "@model-gateway/gateway/internal/core/routing/CutPoints"
import { CommandFailed, wrongUsage } from "../Failure.ts"
import { diffAsJson, diffAsText, type Moved } from "../output/DiffView.ts"
import { modelNamed } from "./NamedModel.ts"
import { readPrompts } from "./ReadPrompts.ts"
import { textFlag, toggle } from "../Flags.ts"

/** Of a prompt, what the largest moves are shown by. */
const SHOWN = 60

export const diff = Command.make(
  "diff",
  {
    file: Argument.String("outcomes.jsonl").pipe(
      Argument.withDescription("prompts, as `router export --all` writes them where `keep_prompts: text` kept them")
    ),
    from: textFlag("from", "MODEL", "a model file or a model that ships (default: builtin@1)").pipe(
      Flag.withDefault("builtin@1")
    ),
    to: textFlag("to", "MODEL", "the same (default: builtin@2, the model that ships)").pipe(
      Flag.withDefault("builtin@2")
    ),
    cutPoints: textFlag(
      "cut-points",
      "A,B,…",
      "`router.cut_points` of the configuration (default: 0.35,0.65,0.85)"
    ).pipe(Flag.withDefault("0.35,0.65,0.85")),
    json: toggle("json", "print JSON instead of text for people")
  },
  Effect.fn("router.diff")(function* ({ cutPoints, file, from, json, to }) {
    const points = cutPoints.split(",").map((point) => (point.trim() === "" ? Number.NaN : Number(point)))
    if (!points.every((point, i) => point > (points[i - 1] ?? 0) && point < 1)) {
      return yield* wrongUsage(
        `--cut-points takes ascending numbers between 0 and 1, such as 0.35,0.65,0.85, not ${cutPoints}`
      )
    }
    const [before, after] = [yield* modelNamed(from), yield* modelNamed(to)]
    const { kept, withoutText } = yield* readPrompts(file, (prompt): Moved => {
      const [one, other] = [classify(prompt, before).score, classify(prompt, after).score]
      return {
        prompt: prompt.slice(0, SHOWN),
        before: { score: one, bucket: bucketIndexOf(one, points) },
        after: { score: other, bucket: bucketIndexOf(other, points) }
      }
    })
    if (kept.length === 0) {
      const why =
        withoutText === 0 ? "has no rows" : "has features and no text of prompts, and another model can't score them"
      return yield* new CommandFailed({
        message: `${file} ${why}; with \`router.keep_prompts: text\` the gateway keeps what is needed`
      })
    }
    const found = { file, from, to, points, moved: kept, withoutText }
    yield* Console.log(json ? diffAsJson(found) : diffAsText(found))
  })
).pipe(
  Command.withDescription(
    "Score your own prompts with two models and show how many change bucket, from which to which, and which prompts move farthest. Run it before you deploy an upgrade or a trained model. Needs no gateway and no network."
  ),
  Command.withShortDescription("Compare the decisions of two router models"),
  Command.withExamples([
    { command: "model-gateway router diff prompts.jsonl", description: "What the upgrade changes" },
    { command: "model-gateway router diff prompts.jsonl --from builtin@2 --to my-router.json --cut-points 0.4,0.8" }
  ])
)
