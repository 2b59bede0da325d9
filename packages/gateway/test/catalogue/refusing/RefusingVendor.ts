/**
 * A transport to vendors that answer 400 to exactly what the lists of refusals beside it have, in their own words, and answer everything
 * else. The lists are made from what was read about the vendors, never from the gateway's own facts, so that the two check each other.
 */
import { Context, Effect, Layer, Stream } from "effect"
import { noLoad, Transport, type UpstreamRequest } from "../../../src/core/pool/Transport.ts"
import { bytesOf } from "../../../src/providers/transport/UpstreamBody.ts"
import { anthropicRefusals } from "./AnthropicRefusals.ts"
import { openAiRefusals } from "./OpenAiRefusals.ts"
import { otherRefusals } from "./OtherRefusals.ts"
import { holdsFor, type Refusal } from "./Refusal.ts"
import { replyTo } from "./Reply.ts"
import type { Reply } from "./Said.ts"
import { type Addressed, type Loose, type Seen, seenIn } from "./Seen.ts"

export const allRefusals: ReadonlyArray<Refusal> = [...openAiRefusals, ...anthropicRefusals, ...otherRefusals]

/** A call as a vendor saw it, and the refusal, if it was refused. */
export interface Heard {
  readonly seen: Seen
  readonly refused: string | undefined
}

export class RefusingVendor extends Context.Service<
  RefusingVendor,
  {
    /** What was heard since the last time, oldest first. */
    readonly take: Effect.Effect<ReadonlyArray<Heard>>
  }
>()("gateway/test/RefusingVendor") {
  static readonly layer: Layer.Layer<RefusingVendor | Transport> = Layer.effectContext(Effect.sync(() => make()))
}

const HOSTS: ReadonlyArray<readonly [part: string, vendor: string]> = [
  ["api.openai.com", "openai"],
  ["openai.azure.com", "azure"],
  ["azure.test", "azure"],
  ["api.anthropic.com", "anthropic"],
  ["generativelanguage.googleapis.com", "google-ai-studio"],
  ["aiplatform.googleapis.com", "vertex"],
  ["bedrock-runtime", "bedrock"],
  ["api.x.ai", "xai"],
  ["api.deepseek.com", "deepseek"],
  ["api.moonshot.ai", "moonshot"],
  ["api.z.ai", "zai"],
  ["dashscope", "qwen"],
  ["api.mistral.ai", "mistral"],
  ["api.minimax.io", "minimax"]
]

const addressed = (url: string, body: Loose): Addressed => {
  const vendor = HOSTS.find(([part]) => url.includes(part))?.[1] ?? "unknown"
  const stream = body["stream"] === true
  const google = /\/models\/([^:/]+):(\w+)/.exec(url)
  if (google !== null) {
    const [, model = "", method = ""] = google
    const spoken = method.endsWith("awPredict") ? "messages" : "gemini"
    return { vendor, model: decodeURIComponent(model), spoken, stream: method.startsWith("stream") }
  }
  const bedrock = /\/model\/([^/]+)\/([\w-]+)/.exec(url)
  if (bedrock !== null) {
    const [, model = "", method = ""] = bedrock
    const spoken = method.startsWith("converse") ? "converse" : "messages"
    return { vendor, model: decodeURIComponent(model), spoken, stream: method.endsWith("stream") }
  }
  const spoken = url.includes("/responses") ? "responses" : url.includes("/messages") ? "messages" : "chat"
  return { vendor, model: String(body["model"]), spoken, stream }
}

/** The error bodies of the vendors. */
const errorBody = ({ spoken, vendor }: Seen, message: string, param: string | undefined): object => {
  if (vendor === "bedrock") return { message }
  if (spoken === "messages") return { type: "error", error: { type: "invalid_request_error", message } }
  if (spoken === "gemini") return { error: { code: 400, message, status: "INVALID_ARGUMENT" } }
  return { error: { message, type: "invalid_request_error", param: param ?? null, code: "unsupported_value" } }
}

interface Answered {
  readonly heard: Heard
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly bytes: Buffer
}

/** What the vendor at the address answers. */
export const answeredAt = (url: string, body: Loose): Answered => {
  const seen = seenIn(addressed(url, body), body)
  const refusal = allRefusals.find((one) => holdsFor(one, seen) && one.isIn(seen))
  const reply: Reply =
    refusal === undefined
      ? replyTo(seen)
      : {
          contentType: "application/json",
          body: JSON.stringify(errorBody(seen, refusal.says(seen), refusal.param))
        }
  return {
    heard: { seen, refused: refusal?.says(seen) },
    status: refusal === undefined ? 200 : 400,
    headers: {
      "content-type": reply.contentType,
      ...(refusal !== undefined && seen.vendor === "bedrock" ? { "x-amzn-errortype": "ValidationException" } : {})
    },
    bytes: Buffer.from(reply.body as string)
  }
}

const make = (): Context.Context<RefusingVendor | Transport> => {
  let heard: Array<Heard> = []

  const begin = (request: UpstreamRequest) =>
    Effect.map(bytesOf(request.body), (bytes) => {
      const answered = answeredAt(request.baseUrl + request.path, JSON.parse(Buffer.from(bytes).toString()) as Loose)
      heard.push(answered.heard)
      return answered
    })

  return Context.make(Transport, {
    whole: (request) =>
      Effect.map(begin(request), ({ bytes, headers, status }) => ({ status, headers, text: bytes.toString(), bytes })),
    open: (request) =>
      Effect.flatMap(begin(request), ({ bytes, headers, status }) =>
        Effect.map(Stream.toPull(Stream.make(bytes)), (chunks) => ({ status, headers, chunks }))
      ),
    load: () => noLoad
  }).pipe(
    Context.add(RefusingVendor, {
      take: Effect.sync(() => {
        const taken = heard
        heard = []
        return taken
      })
    })
  )
}
