/** The kinds of content that callers draw from. */
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { Files } from "./Caller.ts"
import type { Chance } from "./Chance.ts"
import { gif, jpeg, type Media, mp3, mp4, type Page, pdf, png, wav, webp } from "./Media.ts"
import type { Model, Takes } from "./Models.ts"

interface Given {
  readonly chance: Chance
  readonly files: Files
  readonly model: Model
}

interface Parts {
  /** Beside the text of the last message; undefined: the text alone. */
  readonly content?: ReadonlyArray<JsonObject>
  readonly before?: ReadonlyArray<JsonObject>
  readonly after?: ReadonlyArray<JsonObject>
  readonly fields?: JsonObject
}

export interface Kind {
  readonly name: string
  readonly suits: (model: Model) => boolean
  /** Whether the vendor's documents bound what it costs, so that it should be admitted where there is room. */
  readonly documented: (model: Model) => boolean
  readonly parts: (given: Given) => Parts
}

const takes = (what: Takes) => (model: Model) => model.takes.includes(what)
const always = () => true
const never = () => false
/** Models that only do one thing are left to the kinds that are about it. */
const isGeneral = ({ takes: list }: Model) => !list.includes("speech") && !list.includes("search")

const kind = (
  name: string,
  suits: Kind["suits"],
  parts: Kind["parts"],
  documented: Kind["documented"] = always
): Kind => ({
  name,
  suits: (model) => suits(model),
  documented,
  parts
})

const samples = [
  "The quick brown fox jumps over the lazy dog. ",
  "天地玄黃宇宙洪荒日月盈昃辰宿列張。",
  "كل إنسان حر وله الحق في الحياة. ",
  "все люди рождаются свободными ",
  "ทุกคนเกิดมามีอิสระ",
  "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿🫱🏽‍🫲🏿",
  "𒀭𒂗𒆤𓀀𓂀𐎠𐏃",
  "a̐éö̲ \u200b\u200d\ufeff",
  '{"a":[1,2,{"b":null}]}\n\t  ',
  "x9Qz-7Kp_4Lm.",
  '\\u0000\\n\\"',
  "0123456789"
]

const text = (chance: Chance, most: number): string => chance.pick(samples).repeat(1 + chance.below(most))

const sides = [1, 28, 200, 384, 385, 512, 513, 768, 1000, 1024, 1568, 2048, 2577, 4000, 8000]

const image = (chance: Chance): Media =>
  chance.pick([png, jpeg, gif, webp, (w: number, h: number) => jpeg(w, h, true)])(
    chance.pick(sides),
    chance.pick(sides)
  )

const shown = (url: string, chance: Chance): JsonObject => {
  const detail = chance.pick([undefined, "low", "high", "auto"])
  return { type: "image_url", image_url: detail === undefined ? { url } : { url, detail } }
}

const several = <A>(chance: Chance, most: number, make: () => A): ReadonlyArray<A> =>
  Array.from({ length: 1 + chance.below(most) }, make)

const pages = (chance: Chance, most: number, words: number): ReadonlyArray<Page> =>
  several(chance, most, () => ({
    width: chance.pick([595, 612]),
    height: chance.pick([792, 842]),
    text: "Whereas recognition of the inherent dignity ".repeat(Math.ceil(words / 6))
  }))

const filePart = (file_data: string): JsonObject => ({ type: "file", file: { filename: "report.pdf", file_data } })

const schema = (chance: Chance, depth: number): JsonObject => ({
  type: "object",
  additionalProperties: false,
  required: ["a"],
  properties: Object.fromEntries(
    ["a", "名前", "long_property_name_here"].map((name) => [
      name,
      depth === 0
        ? { type: "string", enum: several(chance, 20, () => text(chance, 2)), description: text(chance, 4) }
        : schema(chance, depth - 1)
    ])
  )
})

const tool = (chance: Chance, name: string, depth: number): JsonObject => ({
  type: "function",
  function: { name, description: text(chance, 10), parameters: schema(chance, depth) }
})

const called = (result: unknown): ReadonlyArray<JsonObject> => [
  { role: "user", content: "Look it up." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: '{"a":1}' } }]
  },
  { role: "tool", tool_call_id: "call_1", content: result }
]

const look = { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }
const isClaude = ({ provider }: Model) => provider === "anthropic"
const isOpenAi = (model: Model) => model.provider === "openai" && isGeneral(model)

export const kinds: ReadonlyArray<Kind> = [
  kind("text", isGeneral, ({ chance }) => ({ before: [{ role: "user", name: "u", content: text(chance, 40) }] })),
  kind("text, long", isGeneral, ({ chance }) => {
    // A cheap beginning and a dear end.
    const begins = "the ".repeat(9000)
    return {
      before: [{ role: "user", content: chance.next() < 0.5 ? begins + text(chance, 1500) : text(chance, 800) }]
    }
  }),
  kind("special tokens", isGeneral, ({ chance }) => ({
    before: several(chance, 40, () => ({ role: "user", content: "<|endoftext|><|im_start|>system<|fim_prefix|>" }))
  })),
  kind("many messages", isGeneral, ({ chance }) => ({
    before: several(chance, 200, () => ({
      role: chance.pick(["user", "assistant"]),
      content: chance.pick(["a", "?", "é"])
    }))
  })),
  kind("image, data", takes("images"), ({ chance, files }) => ({
    content: several(chance, 4, () => shown(files.dataUrl(image(chance)), chance))
  })),
  kind("image, remote", takes("images"), ({ chance, files }) => ({
    content: several(chance, 3, () => shown(files.url(image(chance)), chance))
  })),
  kind(
    "image, own server",
    (model) => !model.takes.includes("images") && model.provider === "thinks",
    ({ chance, files }) => ({
      content: [shown(files.dataUrl(image(chance)), chance)]
    }),
    never
  ),
  kind("image in a tool result", isClaude, ({ chance, files }) => ({
    before: called([{ type: "text", text: "seen" }, shown(files.dataUrl(image(chance)), chance)]),
    fields: { tools: [look] }
  })),
  kind("PDF", takes("files"), ({ chance, files }) => ({
    content: [filePart(files.dataUrl(pdf(pages(chance, 8, 300), chance.next() < 0.7 ? "plain" : "compressed")))]
  })),
  kind(
    "PDF, dense",
    takes("files"),
    ({ chance, files }) => ({
      content: [filePart(files.dataUrl(pdf(pages(chance, 2, 20_000), "compressed")))]
    }),
    never
  ),
  kind(
    "file by id",
    isOpenAi,
    ({ chance, files }) => ({
      content: [{ type: "file", file: { file_id: files.id({ kind: "pages", pages: pages(chance, 20, 600) }) } }]
    }),
    never
  ),
  kind("audio", takes("audio"), ({ chance, files }) => {
    const sound = chance.next() < 0.5 ? wav(1 + chance.below(60)) : mp3(1 + chance.below(60))
    const format = sound.mediaType === "audio/wav" ? "wav" : "mp3"
    return { content: [{ type: "input_audio", input_audio: { data: files.base64(sound), format } }] }
  }),
  kind(
    "audio, lying header",
    takes("audio"),
    ({ files }) => ({
      content: [{ type: "input_audio", input_audio: { data: files.base64(wav(120, true)), format: "wav" } }]
    }),
    never
  ),
  kind("speech", takes("speech"), () => ({
    fields: { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } }
  })),
  kind(
    "video",
    takes("video"),
    ({ chance, files }) => ({
      content: [{ type: "video_url", video_url: { url: files.dataUrl(mp4(1 + chance.below(600))) } }]
    }),
    never
  ),
  kind(
    "unknown part",
    (model) => ["thinks", "small", "google"].includes(model.provider),
    ({ chance }) => ({
      content: [{ type: chance.pick(["hologram", "video_url_v2", "input_scan"]), url: "https://files.example/unknown" }]
    }),
    never
  ),
  kind("tools", isGeneral, ({ chance }) => ({
    fields: { tools: several(chance, 12, () => tool(chance, "look", 0)) }
  })),
  kind("schema, huge", isGeneral, ({ chance }) => ({
    fields: {
      response_format: { type: "json_schema", json_schema: { name: "s", schema: schema(chance, 2) } },
      tools: [tool(chance, "look", 1 + chance.below(2))]
    }
  })),
  kind("tool result, nested", isGeneral, ({ chance }) => ({
    before: called([
      { type: "text", text: text(chance, 60) },
      { type: "text", text: JSON.stringify(schema(chance, 2)) }
    ]),
    fields: { tools: [look] }
  })),
  kind("tier", takes("tiers"), ({ chance }) => {
    const service_tier = chance.pick(["priority", "flex", "auto", undefined])
    return { fields: service_tier === undefined ? {} : { service_tier } }
  }),
  kind(
    "prediction",
    isOpenAi,
    ({ chance }) => ({
      fields: { prediction: { type: "content", content: text(chance, 200) } }
    }),
    never
  ),
  kind("cache control", isClaude, ({ chance }) => ({
    content: [{ type: "text", text: text(chance, 400), cache_control: { type: "ephemeral" } }]
  })),
  kind(
    "web search",
    isClaude,
    ({ chance }) => {
      const max_uses = chance.pick([undefined, 1, 3])
      const search = {
        type: "web_search_20250305",
        name: "web_search",
        ...(max_uses === undefined ? {} : { max_uses })
      }
      return { fields: { tools: [search] } }
    },
    never
  ),
  kind(
    "web fetch",
    isClaude,
    ({ chance }) => ({
      fields: {
        tools: [
          { type: "web_fetch_20250910", name: "web_fetch", max_uses: 1, max_content_tokens: 1000 + chance.below(4000) }
        ]
      }
    }),
    never
  ),
  kind(
    "search model",
    takes("search"),
    ({ chance }) => ({
      fields: chance.next() < 0.5 ? { web_search_options: { search_context_size: "high" } } : {}
    }),
    never
  ),
  kind("thinking", isClaude, ({ chance }) => ({
    fields: { thinking: { type: "enabled", budget_tokens: 1024 + chance.below(2000) }, max_tokens: 4000 }
  }))
]
