/** All rows of the matrix: what requests ask for. */
import { efforts, inChat, inMessages, inResponses, tools, withTools } from "./MatrixTools.ts"
import {
  answers,
  calls,
  chatOf,
  type Feature,
  hasEffort,
  messagesOf,
  offers,
  PDF,
  PNG,
  PROMPT,
  responsesOf,
  says,
  schema,
  user
} from "./MatrixWords.ts"
import type { Seen } from "./refusing/Seen.ts"

const format = {
  chat: { response_format: { type: "json_schema", json_schema: { name: "reply", strict: true, schema } } },
  responses: { text: { format: { type: "json_schema", name: "reply", strict: true, schema } } },
  messages: { output_config: { format: { type: "json_schema", schema } } }
}

/** To the schema: by the vendor, or by a tool that has to be called. */
const isHeld = ({ choice, schema }: Seen): boolean => schema !== undefined || choice === "any" || choice === "named"

const schemas: ReadonlyArray<Feature> = [
  {
    name: "schema",
    chat: chatOf(format.chat, "Answer."),
    responses: responsesOf(format.responses, "Answer."),
    messages: messagesOf(format.messages, "Answer."),
    arrives: isHeld,
    lost: /response_format|format/,
    problem: answers
  },
  {
    name: "schema, effort high",
    chat: chatOf({ ...format.chat, ...inChat("high") }, "Answer."),
    responses: responsesOf({ ...format.responses, ...inResponses("high") }, "Answer."),
    messages: messagesOf(
      { thinking: { type: "adaptive" }, output_config: { ...format.messages.output_config, effort: "high" } },
      "Answer."
    ),
    arrives: (seen) => isHeld(seen) && hasEffort("high")(seen),
    lost: /reasoning|effort|thinking|format/,
    problem: answers
  },
  {
    name: "schema and tools",
    ...withTools(format),
    arrives: offers,
    lost: /tools|response_format|format/,
    problem: (got) => (got.calls.length > 0 ? calls(got) : answers(got))
  }
]

const IMAGE = `data:image/png;base64,${PNG}`
const FILE = `data:application/pdf;base64,${PDF}`

const media: ReadonlyArray<Feature> = [
  {
    name: "image",
    chat: chatOf({}, [{ type: "image_url", image_url: { url: IMAGE } }]),
    responses: responsesOf({}, [{ type: "input_image", image_url: IMAGE }]),
    messages: messagesOf({}, [{ type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }]),
    arrives: ({ images }) => images > 0,
    lost: /image/,
    problem: says
  },
  {
    name: "pdf",
    chat: chatOf({}, [{ type: "file", file: { filename: "a.pdf", file_data: FILE } }]),
    responses: responsesOf({}, [{ type: "input_file", filename: "a.pdf", file_data: FILE }]),
    messages: messagesOf({}, [
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } }
    ]),
    arrives: ({ files }) => files > 0,
    lost: /file|document/,
    problem: says
  }
]

const MARK = { cache_control: { type: "ephemeral" } }
const LONG_MARK = { cache_control: { type: "ephemeral", ttl: "1h" } }
const HALF_A_DAY = { prompt_cache_options: { ttl: "12h" } }

/** Hints for caches change no answer: only models that take them have to get them. */
const takesMarks = ({ model, vendor }: Seen): boolean => vendor === "anthropic" || model.includes("claude")
const takesOptions = ({ model, vendor }: Seen): boolean => vendor === "openai" && /gpt-(?:5\.6|6)/.test(model)

const caching: ReadonlyArray<Feature> = [
  {
    name: "cache mark",
    chat: chatOf({}, [{ type: "text", text: PROMPT, ...MARK }]),
    messages: messagesOf({}, [{ type: "text", text: PROMPT, ...MARK }]),
    arrives: (seen) => !takesMarks(seen) || seen.cacheMarks > 0,
    lost: /cache/,
    problem: says
  },
  {
    name: "cache mark for an hour",
    messages: messagesOf({}, [{ type: "text", text: PROMPT, ...LONG_MARK }]),
    arrives: (seen) => !takesMarks(seen) || seen.cacheTtl === "1h",
    lost: /cache/,
    problem: says
  },
  {
    name: "cache for 12 hours",
    chat: chatOf(HALF_A_DAY),
    responses: responsesOf(HALF_A_DAY),
    arrives: (seen) => !takesOptions(seen) || seen.cacheTtl === "12h",
    lost: /cache/,
    problem: says
  }
]

const number = (name: string, field: string, value: number, seen: (seen: Seen) => unknown): Feature => ({
  name,
  chat: chatOf({ [field]: value }),
  responses: responsesOf({ [field]: value }),
  messages: messagesOf({ [field]: value }),
  arrives: (request) => seen(request) === value,
  lost: new RegExp(field),
  problem: says
})

const sampling: ReadonlyArray<Feature> = [
  number("temperature", "temperature", 0.2, ({ temperature }) => temperature),
  number("top_p", "top_p", 0.96, ({ topP }) => topP),
  {
    name: "temperature and top_p",
    chat: chatOf({ temperature: 0.2, top_p: 0.96 }),
    responses: responsesOf({ temperature: 0.2, top_p: 0.96 }),
    messages: messagesOf({ temperature: 0.2, top_p: 0.96 }),
    arrives: ({ temperature, topP }) => temperature === 0.2 && topP === 0.96,
    lost: /temperature|top_p/,
    problem: says
  },
  {
    name: "temperature, effort high",
    chat: chatOf({ temperature: 0.2, ...inChat("high") }),
    responses: responsesOf({ temperature: 0.2, ...inResponses("high") }),
    messages: messagesOf({ temperature: 0.2, ...inMessages("high") }),
    arrives: (seen) => seen.temperature === 0.2 && hasEffort("high")(seen),
    lost: /temperature|reasoning|effort|thinking/,
    problem: says
  },
  {
    name: "top_k",
    chat: chatOf({ top_k: 40 }),
    messages: messagesOf({ top_k: 40 }),
    arrives: ({ topK }) => topK === 40,
    lost: /top_k/,
    problem: says
  },
  {
    name: "penalties",
    chat: chatOf({ presence_penalty: 0.5, frequency_penalty: 0.5 }),
    arrives: ({ penalties }) => penalties,
    lost: /penalty/,
    problem: says
  },
  {
    name: "logprobs",
    chat: chatOf({ logprobs: true, top_logprobs: 2 }),
    responses: responsesOf({ top_logprobs: 2, include: ["message.output_text.logprobs"] }),
    arrives: ({ logprobs }) => logprobs,
    lost: /logprobs|include/,
    problem: says
  },
  {
    name: "stop",
    chat: chatOf({ stop: ["END"] }),
    messages: messagesOf({ stop_sequences: ["END"] }),
    arrives: ({ stop }) => stop,
    lost: /stop/,
    problem: says
  }
]

const BEGUN = { role: "assistant", content: "It is" }

export const features: ReadonlyArray<Feature> = [
  {
    name: "plain",
    chat: chatOf({}),
    responses: responsesOf({}),
    messages: messagesOf({}),
    arrives: () => true,
    lost: /^$/,
    problem: says
  },
  {
    name: "no output limit",
    chat: { messages: user(PROMPT) },
    responses: { input: user(PROMPT) },
    arrives: () => true,
    lost: /^$/,
    problem: says
  },
  ...tools,
  ...efforts,
  ...schemas,
  ...media,
  ...caching,
  {
    name: "n = 2",
    chat: chatOf({ n: 2 }),
    arrives: () => true,
    lost: /^n$/,
    problem: ({ texts }) => (texts.length === 2 ? undefined : `it has ${texts.length} choices`)
  },
  ...sampling,
  {
    name: "prefill",
    chat: chatOf({ messages: [...user(PROMPT), BEGUN] }),
    responses: responsesOf({ input: [...user(PROMPT), BEGUN] }),
    messages: messagesOf({ messages: [...user(PROMPT), BEGUN] }),
    arrives: ({ prefill }) => prefill,
    lost: /messages|input/,
    problem: says
  }
]
