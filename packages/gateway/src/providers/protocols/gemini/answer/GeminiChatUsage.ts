/**
 * `usageMetadata` as disjoint classes. In all 398 recorded answers with thoughts the total is the sum of prompt, tools' prompt,
 * candidates and thoughts; what was read from a cache is a part of the prompt.
 */
import { noUsage, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import { arrayOf, countOf, isGarbage, isObject, type JsonObject } from "../../../json/LooseJson.ts"

const COUNTS =
  "promptTokenCount toolUsePromptTokenCount cachedContentTokenCount candidatesTokenCount thoughtsTokenCount totalTokenCount".split(
    " "
  )

/** Undefined if there are no counts, or one of them is not a number of tokens: booking the rest would make that part free. */
export const readUsage = (raw: JsonObject | undefined): Usage | undefined => {
  if (raw === undefined || COUNTS.some((name) => isGarbage(raw[name]))) return undefined
  const count = (name: string): number => countOf(raw[name])
  const prompt = count("promptTokenCount") + count("toolUsePromptTokenCount")
  const written = count("candidatesTokenCount")
  const reasoning = count("thoughtsTokenCount")
  // What the total has and no part of it names was billed as well.
  const rest = Math.max(0, count("totalTokenCount") - prompt - written - reasoning)
  const audio = of(raw["promptTokensDetails"], "AUDIO") + of(raw["toolUsePromptTokensDetails"], "AUDIO")
  const cachedAudio = of(raw["cacheTokensDetails"], "AUDIO")
  const heard = Math.min(prompt, audio)
  const cachedAudioInput = Math.min(heard, cachedAudio)
  const cachedInput = Math.min(prompt - heard, Math.max(0, count("cachedContentTokenCount") - cachedAudio))
  const imageOutput = Math.min(written, of(raw["candidatesTokensDetails"], "IMAGE"))
  const audioOutput = Math.min(written - imageOutput, of(raw["candidatesTokensDetails"], "AUDIO"))
  const usage = {
    ...noUsage,
    input: prompt - heard - cachedInput,
    cachedInput,
    audioInput: heard - cachedAudioInput,
    cachedAudioInput,
    output: written - imageOutput - audioOutput + rest,
    reasoning,
    imageOutput,
    audioOutput
  }
  return totalTokens(usage) === 0 ? undefined : usage
}

const of = (details: unknown, modality: string): number =>
  arrayOf(details).reduce<number>(
    (sum, one) => (isObject(one) && one["modality"] === modality ? sum + countOf(one["tokenCount"]) : sum),
    0
  )
