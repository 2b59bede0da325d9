/** Facts about a model, without prices. A fact that is left out is unknown, neither "no" nor 0. */
import { Predicate, Schema } from "effect"

const { optionalKey } = Schema
const Text = Schema.String.check(Schema.isMaxLength(2_000))
const Words = Schema.Array(Text)
const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 }))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))

/** Efforts of reasoning, from the least. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const
const Effort = Schema.Literals(efforts)

/** What a rule does where its features are in a request; `use` (another operation) and `price` stand for themselves. */
const ruleActions = ["drop", "nearest", "rename", "clamp", "refuse"] as const

export const Rule = Schema.Struct({
  /** Operations of the caller to which the rule applies. Left out: all. */
  in: optionalKey(Words),
  /** Features that must all hold; `!` before one negates it. */
  when: Words,
  /** The operation to call instead. The first rule that holds counts. */
  use: optionalKey(Text),
  do: optionalKey(Schema.Literals(ruleActions)),
  /** The field that `do` changes, by its name in the request of the operation that is called. */
  field: optionalKey(Text),
  /** `rename`: the new name. `clamp`: the least and the most. `nearest`: the value. */
  to: optionalKey(Schema.Union([Text, Schema.Finite, Schema.Tuple([Schema.Finite, Schema.Finite])])),
  /** A class or a tier of the prices that holds then: `cache_write_12h`. */
  price: optionalKey(Text),
  /** Why, in words for the caller. */
  note: optionalKey(Text),
  sources: optionalKey(Words)
}).check(
  Schema.makeFilter(({ do: action, field, price, to, use }) => {
    if ([action, price, use].filter((one) => one !== undefined).length !== 1) {
      return "a rule has exactly one of use, do and price"
    }
    if (action !== undefined && field === undefined) return `${action} needs the field that it changes`
    if (action === "rename" && typeof to !== "string") return "rename needs the new name in to"
    if (action === "nearest" && (to === undefined || typeof to === "object")) return "nearest needs the value in to"
    if (action === "clamp" && typeof to !== "object") return "clamp needs the least and the most in to"
    return undefined
  })
)
export type Rule = typeof Rule.Type

const Reasoning = Schema.Struct({
  mode: optionalKey(Schema.Literals(["none", "effort", "level", "budget", "adaptive", "hybrid", "always"])),
  efforts: optionalKey(Schema.Array(Effort)),
  /** Efforts of an operation that takes others than `efforts`. */
  effortsAt: optionalKey(Schema.Record(Schema.String, Schema.Array(Effort))),
  default: optionalKey(Effort),
  /** Whether it reasons by default. */
  byDefault: optionalKey(Schema.Boolean),
  /** How reasoning is switched off; `refused`: it can't be; `least`: it can't be, and a request for it gets the least effort. */
  off: optionalKey(Schema.Literals(["refused", "least", "ignored", "none", "disabled", "between_tools", "budget"])),
  /** The most effort with which `off` is taken. */
  offUpTo: optionalKey(Effort),
  /** The least and the most tokens of a budget; false: it takes no budget. */
  budget: optionalKey(Schema.Union([Schema.Boolean, Schema.Tuple([Count, Count])])),
  /** Whether it bills reasoning that it does not show. `asked`: only where the request turns reasoning on. */
  hidden: optionalKey(Schema.Literals(["always", "asked", "never"])),
  /** It sends nothing while it reasons, for minutes. */
  silent: optionalKey(Schema.Boolean),
  /** Whether the output limit holds for reasoning too. Left out: the vendor's other facts decide. */
  countsInLimit: optionalKey(Schema.Boolean),
  /** What a thought that is sent back is bound to. */
  bindsThoughtsTo: optionalKey(Schema.Literals(["nothing", "model", "conversation"]))
})

const Tools = Schema.Struct({
  function: optionalKey(Schema.Boolean),
  /** `tool_choice: required`; `not_thinking`: taken unless the model thinks. */
  forced: optionalKey(Schema.Union([Schema.Boolean, Schema.Literal("not_thinking")])),
  /** `tool_choice` with a name. Left out: as `forced`. */
  named: optionalKey(Schema.Union([Schema.Boolean, Schema.Literal("not_thinking")])),
  parallel: optionalKey(Schema.Boolean),
  strict: optionalKey(Schema.Boolean),
  /** Calls in the history must carry the signature of the thoughts that led to them. */
  signatures: optionalKey(Schema.Boolean)
})

const Cache = Schema.Struct({
  /** Lifetimes: `5m`, `1h`. */
  ttls: optionalKey(Words),
  minTokens: optionalKey(Count),
  breakpoints: optionalKey(Count),
  writesBilled: optionalKey(Schema.Boolean),
  implicit: optionalKey(Schema.Boolean),
  explicit: optionalKey(Schema.Boolean)
})

const Limits = Schema.Struct({
  /** Input and output together. */
  context: optionalKey(Tokens),
  maxInput: optionalKey(Tokens),
  maxOutput: optionalKey(Tokens),
  /** An output limit that the model accepts, for requests that need one and have none. */
  assumedOutput: optionalKey(Tokens)
})

/** A named formula with its numbers: how many tokens an image, a page or a second of audio takes. */
const Formula = Schema.Record(Schema.String, Schema.Union([Text, Schema.Finite, Schema.Array(Schema.Finite)]))

const Scalar = Schema.Union([Schema.Boolean, Text, Schema.Finite, Words, Schema.Array(Schema.Finite)])

/** `default`: only the default values. `none_effort`: only while the effort is `none`. `one`: temperature or `top_p`. */
const Sampling = Schema.Literals(["taken", "one", "default", "none_effort", "ignored", "refused"])

export const factFields = {
  limits: optionalKey(Limits),
  input: optionalKey(Schema.Array(Schema.Literals(["text", "image", "pdf", "audio", "video"]))),
  output: optionalKey(Schema.Array(Schema.Literals(["text", "image", "audio", "vector", "ranking", "scores"]))),
  /** Operations that the vendor has for the model. */
  operations: optionalKey(Words),
  reasoning: optionalKey(Reasoning),
  tools: optionalKey(Tools),
  sampling: optionalKey(Sampling),
  penalties: optionalKey(Schema.Literals(["taken", "ignored", "refused"])),
  /** `native_without_tools`: not in a request with tools. `responses`: native at Responses alone. */
  schemas: optionalKey(Schema.Literals(["native", "native_without_tools", "responses", "json", "none"])),
  verbosity: optionalKey(Words),
  prefill: optionalKey(Schema.Boolean),
  stop: optionalKey(Schema.Boolean),
  logprobs: optionalKey(Schema.Union([Schema.Boolean, Schema.Literal("none_effort")])),
  /** The most choices of one response; `chat`: several, at chat alone. */
  choices: optionalKey(Schema.Union([Count, Schema.Literal("chat")])),
  cache: optionalKey(Cache),
  tokenizer: optionalKey(Schema.Literals(["o200k", "cl100k", "claude", "claude-4.7"])),
  images: optionalKey(Formula),
  pages: optionalKey(Formula),
  audio: optionalKey(Formula),
  /** What a drawn image takes, of models that bill images by the token. */
  drawing: optionalKey(Formula),
  /** What one protocol alone needs to know, by names that its code reads. */
  protocol: optionalKey(Schema.Record(Schema.String, Scalar)),
  rules: optionalKey(Schema.Array(Rule))
}

export const Facts = Schema.Struct(factFields)
export type Facts = typeof Facts.Type

/** Facts of later ones win, group by group; rules are added to those before them. */
export const mergedFacts = (all: ReadonlyArray<Facts>): Facts => {
  const merged: { [fact: string]: unknown } = {}
  for (const facts of all) {
    for (const [name, value] of Object.entries(facts)) {
      const before = merged[name]
      merged[name] =
        name === "rules" && Array.isArray(before)
          ? [...before, ...(value as ReadonlyArray<unknown>)]
          : Predicate.isObject(before) && Predicate.isObject(value)
            ? { ...before, ...value }
            : value
    }
  }
  return merged as Facts
}
