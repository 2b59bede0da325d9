/** `model-gateway router export`: what `auto` decided and what became of it, for `router train`. */
import { Console, Effect, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { isForModel } from "@model-gateway/gateway/internal/core/receipts/ReceiptFilter"
import type { StoredRoutedRequest } from "../store/reading/RoutedRequest.ts"
import { periodFlags, periodOf } from "../ledger/PeriodFlags.ts"
import { findStore, inStore, storeFlags } from "../ledger/StoreFlags.ts"
import { decisionOf, type Lack, lackOf, outcomeLine } from "../output/OutcomeRows.ts"
import { writeOut } from "../output/Stdout.ts"
import { count } from "../output/TextOutput.ts"
import { optionalText, toggle, wordFlag } from "../Flags.ts"

export const exportOutcomes = Command.make(
  "export",
  {
    ...periodFlags,
    bucket: optionalText("bucket", "BUCKET", "that auto put into this bucket only"),
    model: optionalText("model", "MODEL", "served by this deployment or model only"),
    all: toggle("all", "include decisions that training can't use: without a response, prompt or feedback"),
    format: wordFlag("format", ["jsonl"], "a JSON object a line (default: jsonl)").pipe(
      Flag.withDefault("jsonl" as const)
    ),
    ...storeFlags
  },
  Effect.fn("router.export")(function* (flags) {
    const store = yield* findStore(flags)
    const { from, to } = yield* periodOf(flags)
    const [bucket, model] = [Option.getOrUndefined(flags.bucket), Option.getOrUndefined(flags.model)]
    const isWanted = ({ receipt }: StoredRoutedRequest): boolean =>
      (from === undefined || receipt.at >= from) &&
      (to === undefined || receipt.at < to) &&
      (bucket === undefined || decisionOf(receipt).bucket === bucket) &&
      (model === undefined || isForModel(receipt, model))
    const found: Record<Lack, number> = { nothing: 0, answer: 0, prompt: 0, feedback: 0 }
    const lines = (requests: ReadonlyArray<StoredRoutedRequest>): string => {
      let text = ""
      for (const request of requests) {
        if (!isWanted(request)) continue
        const lack = lackOf(request)
        found[lack]++
        if (flags.all || lack === "nothing") text += outcomeLine(request)
      }
      return text
    }
    yield* inStore(store, false, ({ routedRequests }) => writeOut(Stream.map(routedRequests(from), lines)))
    const isNarrowed = bucket !== undefined || model !== undefined
    yield* Console.error(summary(found, flags.all, isNarrowed))
  })
).pipe(
  Command.withDescription(
    "Write the decisions of auto and their known outcomes to stdout, in the format that router train reads: one JSON object per line, oldest first. Training needs feedback from the caller (POST /v1/receipts/{id}/feedback) and the prompt (router.keep_prompts). Decisions without them are counted on stderr. It only reads the store, and can run beside a gateway. The output can contain prompts."
  ),
  Command.withShortDescription("Write decisions and their outcomes, to train on"),
  Command.withExamples([
    { command: "model-gateway router export > outcomes.jsonl" },
    { command: "model-gateway router export --from 7d --bucket simple --all", description: "All decisions of a week" }
  ])
)

const summary = (found: { readonly [Name in Lack]: number }, isAll: boolean, isNarrowed: boolean): string => {
  const total = found.nothing + found.answer + found.prompt + found.feedback
  const decisions = (number: number) => `${count(number)} ${number === 1 ? "decision" : "decisions"}`
  if (total === 0)
    return `There are no decisions of auto in that time${isNarrowed ? " for what --bucket and --model choose" : ""}.`
  const lacks: ReadonlyArray<readonly [number, string]> = [
    [found.answer, "without a response"],
    [found.prompt, "without text or features of the prompt: router.keep_prompts was off, or it was a short follow-up"],
    [found.feedback, "without feedback: the quality of the response is not known (POST /v1/receipts/{id}/feedback)"]
  ]
  const rest = lacks.flatMap(([number, why]) => (number === 0 ? [] : [`  ${decisions(number)} ${why}`]))
  const fate = isAll ? "written, but of no use to router train" : "left out; --all writes them too"
  return [
    `${decisions(total)}, ${count(found.nothing)} of them to learn from.`,
    ...(rest.length === 0 ? [] : [`These were ${fate}:`, ...rest])
  ].join("\n")
}
