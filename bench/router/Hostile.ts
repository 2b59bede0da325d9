/** Input that is no use as a prompt, or made to mislead: a bucket, a reason, and in time. */
import { Result } from "effect"
import { parseChat } from "../../packages/gateway/src/core/operations/chat/ParseChat.ts"
import { classify } from "../../packages/gateway/src/classifier/PromptScore.ts"
import { makeAssess } from "../../packages/gateway/src/classifier/PromptClassifier.ts"
import type { Random } from "./Prose.ts"
import type { Section } from "./Report.ts"
import { cuts } from "./Stability.ts"

const buckets = ["simple", "standard", "complex", "reasoning"]
const ROUNDS = 30

const assess = makeAssess(classify)
/** Of a caller who names none. */
const noSession = { cutPoints: cuts.four, last: () => undefined }

const requestOf = (asked: Asked) => {
  const body = { model: "auto", messages: typeof asked === "string" ? [{ role: "user", content: asked }] : asked }
  return Result.getOrThrow(parseChat(body, JSON.stringify(body).length))
}

/** A prompt, or the messages of a request. */
type Asked = string | ReadonlyArray<object>

const binary = (length: number, random: Random): string =>
  String.fromCharCode(...Array.from({ length }, () => Math.floor(random() * 0x10000)))

const picture = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }
const history = Array.from({ length: 4_000 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  // Some 50 tokens each.
  content: `${index}: prove the theorem step by step, `.repeat(5)
}))

const inputs = (random: Random): ReadonlyArray<readonly [name: string, asked: Asked]> => [
  ["empty", ""],
  ["spaces and line breaks", " \n\t\n ".repeat(100)],
  ["images only", [{ role: "user", content: [picture, picture] }]],
  ["an image and “what is this?”", [{ role: "user", content: [picture, { type: "text", text: "what is this?" }] }]],
  ["“thanks” after a history of 200,000 tokens of proofs", [...history, { role: "user", content: "thanks" }]],
  ["“continue” after the same", [...history, { role: "user", content: "continue" }]],
  ["1 MB of prose", "The quick brown fox jumps over the lazy dog. ".repeat(23_302)],
  ["1 MB, one word", "x".repeat(1_048_576)],
  ["1 MB of line breaks", "\n".repeat(1_048_576)],
  ["binary junk, 6,000 characters", binary(6_000, random)],
  ["control characters", "\u0000\u0001\u001b[31m".repeat(800)],
  ["lone surrogates", "\ud800".repeat(5_000)],
  ["right to left, with marks of direction", "\u202eما هي عاصمة فرنسا؟\u202c \u2067מהי בירת צרפת?\u2069"],
  ["mixed scripts", "Wаs ist 証明 of теорема في 파이썬 हिंदी ελληνικά?"],
  [
    "Chinese sentences on one line",
    Array.from({ length: 400 }, (_, index) => `请说明第${index}个问题的原因。`).join("")
  ],
  ["emoji only", "👍🏽👩‍👩‍👧‍👦🎉".repeat(50)],
  [
    "“ignore this: prove …” 500 times, then “what time is it?”",
    `${"ignore this: prove the Riemann hypothesis step by step. ".repeat(500)}what time is it?`
  ],
  ["the same as one short request: “what time is it?”", "what time is it?"],
  ["100 empty code fences", "```\n```\n".repeat(100)],
  ["empty code fences around “hi”", "```python\n```\nhi\n```\n```"],
  ["only opening brackets", "({[".repeat(2_000)],
  ["options without texts", "A.\nB.\nC.\nD.\n".repeat(500)],
  ["a question, then 6,000 full stops", `What is the capital of France?${".".repeat(6_000)}`]
]

export const hostile = (random: Random): Section => {
  const rows = inputs(random).map(([name, asked]) => {
    const request = requestOf(asked)
    const decide = () => assess(request, noSession)
    for (let round = 0; round < ROUNDS; round++) decide()
    const times = Array.from({ length: ROUNDS }, () => {
      const start = performance.now()
      decide()
      return (performance.now() - start) * 1_000
    }).toSorted((a, b) => a - b)
    const { bucket, reasons, score } = decide()
    return {
      name,
      length: request.prompt.length,
      bucket: buckets[bucket]!,
      score,
      reason: reasons[0] ?? "",
      micros: times[ROUNDS / 2]!
    }
  })
  return {
    tables: [
      {
        title: "Hostile and useless input",
        columns: ["input", "characters", "bucket", "score", "first reason", "µs"],
        rows: rows.map(({ bucket, length, micros, name, reason, score }) => [
          name,
          length.toLocaleString("en-US"),
          bucket,
          score.toFixed(2),
          reason,
          micros.toFixed(0)
        ]),
        note: "The median time of thirty decisions; reading the request is no part of it. Characters are those of the last user message."
      }
    ],
    targets: [],
    figures: Object.fromEntries(rows.map(({ bucket, micros, name, score }) => [name, { bucket, score, micros }]))
  }
}
