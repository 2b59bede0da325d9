/** The demo vendor as a function: one request in, one response out. `DemoTransport` plays the responses in process. */
import { Hash, Result } from "effect"
import { demoContextWindow, demoMaxOutputTokens } from "../vendors/DemoVendor.ts"
import { embeddings, moderations, rerank } from "./DemoEmbeddings.ts"
import { type DemoMediaCall, images, speech, transcription } from "./DemoMedia.ts"
import { type DemoAnswer, playedJson, playedStream } from "./DemoPlayed.ts"
import { contextTooLong, errorBody, errorOf, modelNotFound, unknownPath, type VendorError } from "./DemoVendorErrors.ts"
import { completionBody, completionEvents, type DemoCompletion } from "./chat/DemoChatWire.ts"
import { compose } from "./chat/DemoCompose.ts"
import { type DemoRequest, estimatedTokens, inputCharacters, promptOf, readRequest } from "./chat/DemoRequest.ts"

/** A model: one that answers, or one that misbehaves on request, as its name says. Prices and sizes are in `DemoVendor.ts`. */
interface DemoModel {
  readonly name: string
  readonly thinks: boolean
  readonly fault?: Fault
}

/** `flaky-N`: the first N calls with a prompt get a 500. `cut-N`: the connection breaks after N events, or within a plain body. */
interface Fault {
  readonly kind: string
  readonly number: number
}

const NO_FAULT: Fault = { kind: "none", number: 0 }
const FAULT = /^(?:(hang|garbage)|(flaky|status|slow|cut)-(\d{1,6}))$/

/** Cheapest first. */
export const demoModels: ReadonlyArray<DemoModel> = ["mini", "standard", "large", "reasoner"].map((name) => ({
  name,
  thinks: name === "reasoner"
}))

/** The model of this name; one with a fault is otherwise like `standard`. Undefined: there is none. */
const demoModel = (name: string): DemoModel | undefined => {
  const [, alone, numbered, digits] = FAULT.exec(name) ?? []
  const [kind, number] = [alone ?? numbered, Number(digits)]
  if (kind === undefined || (kind === "status" && (number < 200 || number > 599))) {
    return demoModels.find((one) => one.name === name)
  }
  return { name, thinks: false, fault: { kind, number } }
}

const GARBAGE = Uint8Array.from([0x3c, 0xff, 0xfe, 0x00, 0x7b, 0x22, 0xc3, 0x28, 0x0a, 0x0a, 0xf0, 0x9f])

interface DemoCall extends DemoMediaCall {
  /** How many calls came before this one: no two responses have the same id, not even to the same request. Default 0. */
  readonly serial?: number
  /** How often this prompt was sent to this model before; `flaky-N` fails by it. */
  readonly before: (model: string, prompt: string) => number
}

/** The vendor's response to one request: a response, or an error in the vendor's shape. Never fails, whatever the request is. */
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
    const { fault = NO_FAULT } = model
    const error = failing(fault, () => call.before(model.name, promptOf(request)))
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
    return faulty(fault, request.stream === true ? streamed(request, completion) : plain(completion))
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

const idOf = (request: DemoRequest, input: number, { created, serial = 0 }: DemoCall): string => {
  const seed = `${request.model} ${request.messages.length} ${input} ${promptOf(request).slice(-2_000)} ${created} ${serial}`
  return `demo${hex(Hash.string(seed))}${hex(Hash.string(`${seed} again`))}`
}

const hex = (hash: number): string => (hash >>> 0).toString(16).padStart(8, "0")

const failing = ({ kind, number }: Fault, before: () => number): VendorError | undefined => {
  if (kind === "status" && number >= 300) return errorOf(number)
  return kind === "flaky" && before() < number
    ? errorOf(500, `This model fails ${number} times for each prompt before it answers.`)
    : undefined
}

const faulty = ({ kind, number }: Fault, answer: DemoAnswer): DemoAnswer => {
  switch (kind) {
    case "status":
      return { ...answer, status: number }
    case "slow":
      return { ...answer, delay: number }
    case "hang":
      return { ...answer, delay: Infinity }
    case "garbage":
      return { ...answer, pieces: [{ bytes: GARBAGE, tokens: 0 }] }
    case "cut":
      return { ...answer, pieces: cut(answer.pieces, number), cut: true }
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
