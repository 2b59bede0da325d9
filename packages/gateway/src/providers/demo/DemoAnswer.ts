/**
 * The demo vendor as a function: one request in, one answer out, nothing else. The gateway plays the answers in process
 * (`DemoTransport`); anything that can speak HTTP can serve them as well.
 */
import { Hash, Result } from "effect"
import { demoContextWindow, demoMaxOutputTokens } from "../vendors/DemoVendor.ts"
import { completionBody, completionEvents, type DemoCompletion } from "./chat/DemoChatWire.ts"
import { compose } from "./chat/DemoCompose.ts"
import { demoModel } from "./DemoModels.ts"
import { inputCharacters, promptOf, readRequest, type DemoRequest } from "./chat/DemoRequest.ts"
import { embeddings, rerank } from "./DemoEmbeddings.ts"
import { garbage, type Fault } from "./DemoFaults.ts"
import { moderations } from "./DemoModerations.ts"
import { images } from "./DemoImages.ts"
import { type DemoAnswer, playedJson, playedStream } from "./DemoPlayed.ts"
import { speech } from "./DemoSpeech.ts"
import { estimatedTokens } from "./DemoTokens.ts"
import { transcription } from "./DemoTranscription.ts"
import { contextTooLong, errorBody, errorOf, modelNotFound, unknownPath, type VendorError } from "./DemoVendorErrors.ts"

interface DemoCall {
  /** After the base URL, e.g. `/chat/completions`. */
  readonly path: string
  readonly body: string
  /** A form, which is read as bytes, and its media type. */
  readonly form?: { readonly bytes: Uint8Array; readonly contentType: string }
  /** Epoch seconds. */
  readonly created: number
  /** How many calls came before this one: no two answers have the same id, not even to the same request. Default 0. */
  readonly serial?: number
  /** How often this prompt was sent to this model before; `flaky-N` fails by it. */
  readonly before: (model: string, prompt: string) => number
}

/** The vendor's answer to one request: an answer, or an error in the vendor's shape. Never fails, whatever the request is. */
export const demoAnswer = (call: DemoCall): DemoAnswer => {
  const endpoint = endpoints[call.path]
  return Result.getOrElse(endpoint === undefined ? Result.fail(unknownPath(call.path)) : endpoint(call), refusal)
}

type DemoEndpoint = (call: DemoCall) => Result.Result<DemoAnswer, VendorError>

const chat: DemoEndpoint = (call) =>
  Result.gen(function* () {
    const request = yield* readRequest(call.body)
    const model = demoModel(request.model)
    if (model === undefined) return yield* Result.fail(modelNotFound(request.model))
    const error = failing(model.fault, () => call.before(model.name, promptOf(request)))
    if (error !== undefined) return yield* Result.fail(error)
    const input = estimatedTokens(inputCharacters(request))
    const most = yield* room(request, input)
    const id = idOf(request, input, call)
    const composed = yield* compose(request, { id, thinks: model.thinks, most })
    const usage = { input, output: composed.outputTokens, reasoning: composed.reasoningTokens }
    const completion: DemoCompletion = {
      id: `chatcmpl-${id}`,
      created: call.created,
      model: request.model,
      choices: composed.choices,
      usage
    }
    return faulty(model.fault, request.stream === true ? streamed(request, completion) : plain(completion))
  })

const endpoints: { readonly [path: string]: DemoEndpoint | undefined } = {
  "/chat/completions": chat,
  "/embeddings": (call) => Result.map(embeddings(call.body), (body) => playedJson(body)),
  "/moderations": (call) => Result.map(moderations(call.body, call), (body) => playedJson(body)),
  "/rerank": (call) => Result.map(rerank(call.body), (body) => playedJson(body)),
  "/images/generations": (call) => images(call, "image_generation"),
  "/images/edits": (call) => images(call, "image_edit"),
  "/images/variations": (call) => images(call),
  "/audio/transcriptions": transcription,
  "/audio/translations": transcription,
  "/audio/speech": speech
}

const room = (request: DemoRequest, input: number): Result.Result<number, VendorError> => {
  const asked = request.max_completion_tokens ?? request.max_tokens
  const left = demoContextWindow - input
  if (left < (asked ?? 1)) return Result.fail(contextTooLong(demoContextWindow, asked ?? 1, input))
  return Result.succeed(Math.min(asked ?? Infinity, demoMaxOutputTokens, left))
}

/** Made of the request, its time and its number, so that a script of calls gets the same ids each time it runs. */
const idOf = (request: DemoRequest, input: number, { created, serial = 0 }: DemoCall): string => {
  const seed = `${request.model} ${request.messages.length} ${input} ${promptOf(request).slice(-2_000)} ${created} ${serial}`
  return `demo${hex(Hash.string(seed))}${hex(Hash.string(`${seed} again`))}`
}

const hex = (hash: number): string => (hash >>> 0).toString(16).padStart(8, "0")

const failing = (fault: Fault, before: () => number): VendorError | undefined => {
  if (fault.kind === "status" && fault.status >= 300) return errorOf(fault.status)
  if (fault.kind === "flaky" && before() < fault.times) {
    return errorOf(500, `This model fails ${fault.times} times for each prompt before it answers.`)
  }
  return undefined
}

const faulty = (fault: Fault, answer: DemoAnswer): DemoAnswer => {
  switch (fault.kind) {
    case "status":
      return { ...answer, status: fault.status }
    case "slow":
      return { ...answer, delay: fault.ms }
    case "hang":
      return { ...answer, delay: Infinity }
    case "garbage":
      return { ...answer, pieces: [{ bytes: garbage, tokens: 0 }] }
    case "cut":
      return { ...answer, pieces: cut(answer.pieces, fault.events), cut: true }
    default:
      return answer
  }
}

/** Never the whole of it: at least the end mark is missing, or half of a plain body. */
const cut = (pieces: DemoAnswer["pieces"], events: number): DemoAnswer["pieces"] => {
  const [first] = pieces
  if (pieces.length > 1 || first === undefined) return pieces.slice(0, Math.min(events, pieces.length - 1))
  return [{ bytes: first.bytes.subarray(0, first.bytes.length >> 1), tokens: first.tokens }]
}

const plain = (completion: DemoCompletion): DemoAnswer =>
  playedJson(completionBody(completion), headOf(completion), completion.usage?.output)

const streamed = (request: DemoRequest, completion: DemoCompletion): DemoAnswer =>
  playedStream(completionEvents(completion, request.stream_options?.include_usage === true), headOf(completion))

const headOf = ({ id }: DemoCompletion) => ({ headers: { "x-request-id": `req_${id}` } })

const refusal = (error: VendorError): DemoAnswer =>
  playedJson(errorBody(error), {
    status: error.status,
    headers: error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) }
  })
