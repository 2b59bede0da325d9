/** `model_info`: what a model can do, and how much it takes. */
import { capabilities } from "@model-gateway/gateway/internal/core/domain/Deployment"
import type { Account } from "./source/ConfigAccount.ts"
import type { Cursor } from "./source/Cursor.ts"
import type { Fields } from "./LitellmProviders.ts"
import { asSetting, looksSecret } from "./source/SourceSecrets.ts"

const abilities: { readonly [theirs: string]: (typeof capabilities)[number] } = {
  supports_function_calling: "tools",
  supports_vision: "images",
  supports_response_schema: "json_schema",
  supports_reasoning: "reasoning",
  supports_audio_input: "audio",
  supports_pdf_input: "files",
  supports_native_streaming: "stream"
}

/** `mode` → the operation, where the name does not tell it. */
const modes: { readonly [mode: string]: string } = {
  image_generation: "images",
  image_edit: "image_edits",
  audio_transcription: "transcriptions",
  audio_speech: "speech",
  rerank: "rerank",
  completion: "completions",
  moderation: "moderations",
  responses: "responses"
}

/** A model whose vendor's file does not know what its address serves. */
const isOwn = (vendor: string | undefined): boolean => vendor === undefined || vendor === "openai" || vendor === "azure"

const wholeTokens = (found: Cursor | undefined): number | undefined => {
  const value = found?.number
  return value !== undefined && Number.isInteger(value) && value >= 1 && value <= 1_000_000_000 ? value : undefined
}

/** Without LiteLLM's provider before it. */
const baseNameOf = (written: string): string => {
  const name = written.replace(/^[a-z_]+\//, "")
  return looksSecret(name) ? "" : asSetting(name)
}

export const modeOf = (info: ReadonlyMap<string, Cursor>): string => info.get("mode")?.text ?? "chat"

/** Fields of the deployment. */
export const infoOf = (
  info: ReadonlyMap<string, Cursor>,
  vendor: string | undefined,
  to: string,
  account: Account
): Fields => {
  const window = info.get("max_input_tokens")
  const output = info.get("max_output_tokens") ?? info.get("max_tokens")
  const base = info.get("base_model")
  const name = baseNameOf(base?.text ?? "")
  const fields = {
    ...(name === "" ? {} : { base_model: name }),
    ...(wholeTokens(window) === undefined ? {} : { context_window: wholeTokens(window) }),
    ...(wholeTokens(output) === undefined ? {} : { max_output_tokens: wholeTokens(output) })
  }
  account.say(
    base,
    name === "" ? "left_out" : "carried",
    "what it is: its prices, limits and parameters hold",
    `${to}.base_model`
  )
  account.say(window, wholeTokens(window) === undefined ? "left_out" : "carried", "tokens", `${to}.context_window`)
  if (output !== info.get("max_tokens")) {
    account.say(info.get("max_tokens"), "not_needed", "max_output_tokens stands beside it")
  }
  account.say(output, wholeTokens(output) === undefined ? "left_out" : "carried", "tokens", `${to}.max_output_tokens`)
  return { ...fields, ...modeFields(info.get("mode"), vendor, to, account), ...supportsOf(info, to, account) }
}

const modeFields = (mode: Cursor | undefined, vendor: string | undefined, to: string, account: Account): Fields => {
  if (mode?.text === undefined) return {}
  if (mode.text === "embedding") {
    account.say(mode, "carried", "it makes vectors", `${to}.supports`)
    return { supports: ["embeddings"] }
  }
  const operation = modes[mode.text]
  if (operation !== undefined && isOwn(vendor)) {
    account.say(mode, "carried", "what it serves", `${to}.operations`)
    return { operations: [operation] }
  }
  const known = mode.text === "chat" || operation !== undefined
  account.say(
    mode,
    known ? "not_needed" : "left_out",
    known ? "the vendor's file knows what its models serve" : "this gateway has no operation of that kind"
  )
  return {}
}

const supportsOf = (info: ReadonlyMap<string, Cursor>, to: string, account: Account): Fields => {
  const said = Object.entries(abilities).flatMap(([theirs, ours]) => {
    const found = info.get(theirs)
    return found === undefined ? [] : [{ found, ours, isTrue: found.isTrue }]
  })
  const lacks = new Set(said.flatMap(({ isTrue, ours }) => (isTrue ? [] : [ours])))
  const isEmbedding = info.get("mode")?.text === "embedding"
  const isWritten = lacks.size > 0 && !isEmbedding
  for (const { found } of said) {
    if (isWritten) account.say(found, "carried", "what it can do", `${to}.supports`)
    else account.say(found, "not_needed", "nothing says that it can't: requests are passed on")
  }
  if (!isWritten) return {}
  return { supports: capabilities.filter((one) => one !== "embeddings" && !lacks.has(one)) }
}
