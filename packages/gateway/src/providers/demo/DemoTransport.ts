/** Answers in process what is addressed to `demo:<provider name>`, or to `demo:` alone, for the first demo provider. */
import { bytesOf, isPieced } from "../transport/UpstreamBody.ts"
import { Clock, Effect } from "effect"
import type { ProviderSettings } from "../../core/domain/Settings.ts"
import { noLoad, type Transport, type UpstreamRequest } from "../../core/pool/Transport.ts"
import { playOpen, playWhole, type Answering } from "../transport/Playback.ts"
import { demoAnswer } from "./DemoAnswer.ts"
import type { DemoAnswer } from "./DemoPlayed.ts"

const SCHEME = "demo:"

/** How a demo provider is paced; the rest of its settings says nothing to it. */
export type DemoSettings = Pick<ProviderSettings, "name" | "vendor" | "latencyMs" | "tokensPerSecond">

/** Prompts that `flaky-N` remembers; the oldest is forgotten first. */
const MOST_PROMPTS = 10_000
const PROMPT_LENGTH = 500

/** `providers` is asked at every call, so that a reloaded configuration holds at once. */
const make = (providers: () => ReadonlyArray<DemoSettings>): Transport["Service"] => {
  const asked = new Map<string, number>()
  let serial = 0

  const before = (baseUrl: string) => (model: string, prompt: string) => {
    const key = `${baseUrl} ${model} ${prompt.length} ${prompt.slice(0, PROMPT_LENGTH)}`
    const times = asked.get(key) ?? 0
    if (times === 0 && asked.size >= MOST_PROMPTS) asked.delete(asked.keys().next().value!)
    asked.set(key, times + 1)
    return times
  }

  const answer = (request: UpstreamRequest): Effect.Effect<Answering> =>
    Effect.zipWith(Clock.currentTimeMillis, bytesOf(request.body), (now, body) => {
      const { path, baseUrl } = request
      const said = demoAnswer({
        path,
        ...(isPieced(request.body)
          ? { body: "", form: { bytes: body, contentType: request.headers["content-type"] ?? "" } }
          : { body: Buffer.from(body).toString() }),
        created: Math.floor(now / 1000),
        serial: serial++,
        before: before(baseUrl)
      })
      return paced(said, settingsOf(providers(), baseUrl))
    })

  return {
    whole: (request) => Effect.flatMap(answer(request), (playback) => playWhole(nameOf(request), request, playback)),
    open: (request) => Effect.flatMap(answer(request), (playback) => playOpen(nameOf(request), request, playback)),
    load: () => noLoad
  }
}

export const DemoTransport = {
  make,
  serves: (baseUrl: string): boolean => baseUrl.startsWith(SCHEME)
}

const nameOf = ({ baseUrl }: UpstreamRequest): string => `the demo provider (${baseUrl})`

const settingsOf = (providers: ReadonlyArray<DemoSettings>, baseUrl: string): DemoSettings | undefined => {
  const name = baseUrl.slice(SCHEME.length)
  return providers.find((one) => (name === "" ? one.vendor === "demo" : one.name === name))
}

/** The head after the latency, then so many tokens a second. */
const paced = (answer: DemoAnswer, settings: DemoSettings | undefined): Answering => {
  const headAt = answer.delay + (settings?.latencyMs ?? 0)
  const perToken = settings?.tokensPerSecond === undefined ? 0 : 1000 / settings.tokensPerSecond
  let tokens = 0
  return {
    status: answer.status,
    headers: answer.headers,
    headAt,
    pieces: answer.pieces.map((piece) => {
      tokens += piece.tokens
      return { at: headAt + tokens * perToken, bytes: piece.bytes }
    }),
    ending: answer.cut ? "reset" : "complete"
  }
}
