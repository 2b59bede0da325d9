/**
 * The most that a request can be billed for at a deployment. The context window bounds what no rule bounds.
 * An unbounded request is refused under a budget.
 */
import { Predicate } from "effect"
import { type Bound, type ToolBound, zeroBound } from "../domain/pricing/Bound.ts"
import type { BoundRules } from "../domain/pricing/BoundRules.ts"
import type { CallRequest } from "../operations/CallRequest.ts"
import { type MediaPart, READABLE } from "../media/Contents.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { mayDraw } from "./Drawing.ts"
import { type HostedTool, hostedTools } from "./HostedTools.ts"
import type { Measured, Measures } from "../media/Measure.ts"
import { type MostUsed, cannot, isFree } from "../domain/pricing/Pricing.ts"
import { summarizing, summaryOf, withSummaries } from "./Summaries.ts"
import { Unsupported } from "../domain/Failures.ts"
import type { FeeClass } from "../domain/Usage.ts"
import { requestsFor } from "./BoundedRequests.ts"
import type { PdfContents } from "@model-gateway/protocol/files"

/** The least tokens to expect for the text of one page: https://platform.claude.com/docs/en/build-with-claude/pdf-support (2026-11-22). */
const PAGE_TEXT_TOKENS = 3_000
const PAGE_FRAME = 64
/** Uses of a vendor's tool, where neither the caller nor the configuration names a number. */
const ASSUMED_USES = 5
/** Rounds besides the tool calls: one for a refused call, one for the response. */
const ROUNDS_BESIDES_USES = 2

/** Fails with `Unsupported` where there is no bound; the error names the part and the setting that would bound it. */
export const boundOf = (request: CallRequest, deployment: Deployment, measures: Measures): Bound | Unsupported =>
  request.billing !== undefined
    ? request.billing.bound(deployment, measures)
    : deployment.price !== undefined && isFree(deployment.price)
      ? unbilled(request)
      : tokensOf(request, deployment, measures)

/** What costs nothing needs no bound. */
const unbilled = ({ textBound }: CallRequest): Bound => ({ ...zeroBound, input: textBound })

const tokensOf = (request: CallRequest, deployment: Deployment, measures: Measures): Bound | Unsupported => {
  const rules = deployment.bounds ?? LENIENT
  const { contextWindow: window } = deployment
  const { definitions, hosted } = hostedTools(request, deployment)
  let input = request.textBound + definitions
  let audio = 0
  let beyond = 0
  let fillsWindow = false
  for (const part of request.media) {
    const seen = measures.get(part.path) ?? NOTHING
    const kind = seen.kind ?? part.kind
    const tokens = partTokens(part, seen, deployment)
    if (tokens === undefined) {
      if (window === undefined)
        return unbounded(part.path, SETTINGS[kind], `what this part costs at ${deployment.id}`, FORMATS[kind])
      fillsWindow = true
      continue
    }
    if (kind === "audio") audio += tokens
    else if (kind === "image" && rules.imagesExceedWindow === true) beyond += tokens
    else input += tokens
  }
  const writesNothing = request.maxOutput === 0
  const thoughts = writesNothing ? 0 : thoughtsOf(rules)
  if (!writesNothing && isUnbounded(deployment)) {
    const what = `how much ${deployment.id} may reason on top of the output limit`
    return unbounded("model", "reasoning_tokens", `${what} (0: it counts reasoning within the limit)`)
  }
  const isSeparate = request.separate !== undefined && window !== undefined
  const tools = hosted.length === 0 ? undefined : toolBound(hosted, deployment)
  if (tools instanceof Unsupported) return tools
  const burst = predictionBytes(request) + drawn(request, rules)
  const { inference_geo: place, speed } = request.body
  // The price list has each of the two, and not both together.
  if (deployment.protocol === "anthropic-messages" && speed === "fast" && place === "us") {
    return boundless("inference_geo", deployment.id)
  }
  const summarized = summarizing(request.body)
  // What tools of the vendor read may make the conversation long enough.
  const above = fillsWindow || tools !== undefined ? 0 : summarized?.above
  const isLong = summarized !== undefined && input + audio + beyond >= above!
  const summary = isLong ? (deployment.maxOutputTokens ?? window) : undefined
  if (isLong && summary === undefined) {
    return unbounded(summarized.field, "context_window", `how long a summary ${deployment.id} may write`)
  }
  return {
    // The window may fill up with text, pictures or sound.
    input: fillsWindow ? beyond : input + beyond,
    audio: fillsWindow ? window! : audio,
    beyond,
    unlimitedOutput: (thoughts ?? (isSeparate ? window! : 0)) + burst,
    burst,
    // Several inputs do not share one window.
    wholeOutput: thoughts === undefined && !isSeparate ? window : undefined,
    writes: writesPerChoice(request),
    tools,
    ...(summary === undefined ? undefined : { summary: { tokens: summary, above: above! } }),
    cannot: cannotOf(request, deployment),
    requests: requestsFor(request, deployment)
  }
}

/** Tokens of reasoning on top of the output limit; undefined: unknown. */
const thoughtsOf = ({ reasoning, reasoningTokens }: BoundRules): number | undefined =>
  reasoningTokens ?? (reasoning === "inside" ? 0 : undefined)

/** The output of this deployment is unbounded for every request. */
export const isUnbounded = ({ bounds = LENIENT, contextWindow }: Deployment): boolean =>
  contextWindow === undefined && thoughtsOf(bounds) === undefined

/** The most that is used when each choice may have `output` tokens and each tool that the gateway limits may have `uses` uses. */
export const mostUsed = (bound: Bound, input: number, output: number, choices: number, uses: number): MostUsed => {
  const { audio, cannot: without = 0, tools, units, unlimitedOutput, wholeOutput, writes } = bound
  const summary = summaryOf(bound.summary, input + audio)
  const written = (wholeOutput === undefined ? output + unlimitedOutput : wholeOutput) * choices * writes
  if (tools === undefined) {
    return withSummaries({ input, output: written, audioInput: audio, cannot: without, units }, summary, choices)
  }
  const calls: { [Fee in FeeClass]?: number } = { ...tools.calls }
  let count = tools.unpaid + tools.freeUnpaid * uses
  for (const fee of Object.keys(tools.free) as Array<FeeClass>) calls[fee] = (calls[fee] ?? 0) + tools.free[fee]! * uses
  for (const fee of Object.keys(calls) as Array<FeeClass>) count += calls[fee]!
  const rounds = count + ROUNDS_BESIDES_USES
  const all = tools.window === undefined ? Number.POSITIVE_INFINITY : tools.window * (rounds - 1)
  // Each round reads again what all earlier rounds read and wrote.
  const again =
    tools.tokens === undefined
      ? all
      : Math.min(all, (input + audio + written) * (rounds - 1) + (tools.tokens * rounds * (rounds - 1)) / 2)
  if (tools.containers !== undefined && calls.codeExecutions !== undefined) calls.codeExecutions *= tools.containers
  const most = { input: input + again, output: written, calls, audioInput: audio, cannot: without, units }
  return withSummaries(most, summary, choices * rounds)
}

/** For deployments that did not come from a configuration: scripted ones in tests, and those of embedders. */
const LENIENT: BoundRules = { reasoning: "inside" }

const NOTHING: Measured = {}

const SETTINGS: { readonly [Kind in MediaPart["kind"]]: string } = {
  image: "image_tokens",
  audio: "audio_tokens_per_second",
  video: "video_tokens",
  file: "file_tokens",
  other: "part_tokens"
}

/** What can be measured. */
const FORMATS: { readonly [Kind in MediaPart["kind"]]?: string } = {
  image: "An image whose size can be read is a PNG, JPEG, GIF or WebP file of the type that it is said to have",
  audio: READABLE,
  file: "A file that can be measured is UTF-8 text, or a PDF without encryption in which nothing is hidden or defined twice"
}

/** Undefined where no rule covers the part. */
export const partTokens = (
  { detail, kind: said }: MediaPart,
  seen: Measured,
  { bounds = LENIENT }: Deployment
): number | undefined => {
  const { audioTokensPerSecond, fileTokens, image, imageTokens, pageImage, pageTokens, partTokens, videoTokens } =
    bounds
  const kind = seen.kind ?? said
  switch (kind) {
    case "image":
      return imageTokens ?? image?.(seen.image, detail)
    case "audio":
      if (seen.seconds === undefined || audioTokensPerSecond === undefined) return undefined
      return Math.ceil((seen.seconds + 1) * audioTokensPerSecond)
    case "video":
      return videoTokens
    case "file": {
      const { pdf, textBytes } = seen
      if (textBytes !== undefined) return textBytes
      if (pdf !== undefined && pageTokens !== undefined) return pdf.pages * pageTokens
      if (pdf !== undefined && pageImage !== undefined) {
        return pdf.pages * pageImage + pageTexts(pdf)
      }
      return fileTokens
    }
    case "other":
      return partTokens
  }
}

/** One sign of a font may stand for two letters, hence twice the bytes. A page without any text may be read from its picture. */
const pageTexts = ({ pages, textBytes }: PdfContents): number => {
  const usual = Math.max(pages * PAGE_TEXT_TOKENS, textBytes)
  return textBytes === 0 ? usual : Math.min(usual, 2 * textBytes + pages * PAGE_FRAME)
}

const toolBound = (hosted: ReadonlyArray<HostedTool>, deployment: Deployment): ToolBound | Unsupported => {
  const { toolCalls, toolTokens } = deployment.bounds ?? LENIENT
  const { contextWindow: window, id } = deployment
  const calls: { [Fee in FeeClass]?: number } = {}
  const free: { [Fee in FeeClass]?: number } = {}
  const containers = hosted.reduce((most, one) => Math.max(most, one.containers ?? 1), 1)
  let [unpaid, freeUnpaid] = [0, 0]
  for (const { fee, isBoundless, path, takesLimit, uses } of hosted) {
    if (isBoundless === true) return boundless(path, id)
    if (!takesLimit && toolCalls === undefined) {
      return unbounded(path, "tool_calls", `how often ${id} may call what the vendor runs itself`)
    }
    const isFree = takesLimit && uses === undefined
    const most = isFree ? 0 : Math.min(uses ?? toolCalls!, toolCalls ?? uses!)
    if (fee === undefined) {
      unpaid += most
      freeUnpaid += isFree ? 1 : 0
    } else if (isFree) free[fee] = (free[fee] ?? 0) + 1
    else calls[fee] = (calls[fee] ?? 0) + most
  }
  const tokens = toolTokens ?? mostTokens(hosted)
  if (tokens === undefined && window === undefined) {
    return unbounded(hosted[0]!.path, "tool_tokens", `how much a tool of the vendor may read at ${id}`)
  }
  const mostUses = toolCalls ?? ASSUMED_USES
  const hasLimits = hosted.some((one) => one.takesLimit)
  return { calls, free, unpaid, freeUnpaid, mostUses, hasLimits, tokens, window, containers }
}

/** The tokens of the tool that reads most; undefined where one of the tools has no limit. */
const mostTokens = (hosted: ReadonlyArray<HostedTool>): number | undefined => {
  let most = 0
  for (const { tokens } of hosted) {
    if (tokens === undefined) return undefined
    most = Math.max(most, tokens)
  }
  return most
}

const cannotOf = ({ body }: CallRequest, { bounds = LENIENT, protocol, vendor }: Deployment): number => {
  const { modalities } = body
  const isSilent = bounds.speaksWhenAsked === true && !(Array.isArray(modalities) && modalities.includes("audio"))
  const speak = isSilent ? cannot.speak : 0
  // Anthropic caches only what is marked: https://platform.claude.com/docs/en/build-with-claude/prompt-caching (2026-11-22). So does
  // Bedrock, at a price: https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html (2026-11-22).
  if (protocol !== "anthropic-messages" && protocol !== "bedrock") {
    // OpenAI caches by itself for the usual lifetime: https://developers.openai.com/api/docs/guides/prompt-caching (2026-11-27).
    const { prompt_cache_options: options } = body
    const ttl = Predicate.hasProperty(options, "ttl") ? options.ttl : undefined
    return vendor === "openai" && (ttl === undefined || ttl === null || ttl === "30m")
      ? speak | cannot.cacheForLong
      : speak
  }
  const lifetime = longestMark(body)
  return speak | (lifetime === "none" ? cannot.cache : lifetime === "usual" ? cannot.cacheForLong : 0)
}

/** The longest cache lifetime of any `cache_control` in the request, at any depth. */
const longestMark = (value: object): "none" | "usual" | "long" => {
  let found: "none" | "usual" = "none"
  for (const name in value) {
    const one = (value as { readonly [name: string]: unknown })[name]
    if (typeof one !== "object" || one === null) continue
    if (name === "cache_control") {
      const ttl = "ttl" in one ? one.ttl : undefined
      if (ttl !== undefined && ttl !== null && ttl !== "5m") return "long"
      found = "usual"
    } else {
      const inner = longestMark(one)
      if (inner === "long") return "long"
      if (inner === "usual") found = "usual"
    }
  }
  return found
}

const unbounded = (param: string, setting: string, what: string, formats?: string): Unsupported =>
  new Unsupported({
    param,
    code: "cost_unbounded",
    message: `a budget requires a known maximum cost, and the gateway does not know ${what}: \`${param}\` is refused. The operator can set it in the deployment's \`bounds.${setting}\`, or give its \`context_window\`${formats === undefined ? "" : `. ${formats}`}`
  })

const boundless = (param: string, id: string): Unsupported =>
  new Unsupported({
    param,
    code: "cost_unbounded",
    message: `a budget requires a known maximum cost, and the vendor charges \`${param}\` at ${id} at a price of its own: leave it out`
  })

/** Predicted text is billed as output: https://platform.openai.com/docs/guides/predicted-outputs (2026-11-22). */
const predictionBytes = ({ body }: CallRequest): number => {
  const { prediction } = body
  return prediction === undefined || prediction === null ? 0 : Buffer.byteLength(JSON.stringify(prediction))
}

/** No source says that an output limit cuts an image short: one image more than fits into the limit. */
const drawn = (request: CallRequest, { drawing }: BoundRules): number =>
  drawing === undefined || !mayDraw(request) ? 0 : drawing.image(undefined, undefined)

/** `best_of`, for each of several prompts: the model writes that many choices, and sends the best of them. */
const writesPerChoice = ({ body, choices, separate }: CallRequest): number => {
  const { best_of: best } = body
  const each = choices / (separate?.count ?? 1)
  return typeof best === "number" && best > each ? Math.ceil(best / each) : 1
}

/** Whether the size of an image decides its cost at one of these deployments, so that the image has to be fetched. */
export const needsLook = (media: ReadonlyArray<MediaPart>, deployments: ReadonlyArray<Deployment>): boolean =>
  media.some(
    ({ detail, kind }) =>
      kind === "image" &&
      deployments.some(
        ({ bounds }) =>
          bounds?.imageTokens === undefined &&
          bounds?.image !== undefined &&
          bounds.image(undefined, detail) === undefined
      )
  )
