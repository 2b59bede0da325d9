/** Tables of a model's tuned part as they are learnt: packed, and as what trees look at. */
import { OTHERS, unpack, writeOthers } from "@model-gateway/gateway/internal/classifier/model/Tuned"
import type { PromptWords } from "@model-gateway/gateway/internal/classifier/features/Words"

/** -128 is never written: every table is symmetric. */
const LARGEST = 127

/** The numbers as bytes, the largest as 127; what is lost is at most the two hundred and fiftieth part of it. */
export const pack = (values: Float64Array): { readonly scale: number; readonly text: string } => {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const scale = Number((largest / LARGEST).toPrecision(6))
  const packed = Int8Array.from(values, (value) => (scale === 0 ? 0 : Math.round(value / scale)))
  return { scale, text: Buffer.from(packed.buffer).toString("base64") }
}

/** What trees look at; `known`: the score before, `added`: what the pool adds in it. */
export const treeInputs = (
  topics: { readonly scale: number; readonly text: string },
  rows: ReadonlyArray<{
    readonly features: Float64Array
    readonly words: PromptWords | null
    readonly known: number
    readonly added: number
  }>
): ReadonlyArray<Float64Array> => {
  const unpacked = unpack(topics.text)
  return rows.map(({ added, features, known, words }) => {
    const inputs = new Float64Array(features.length + OTHERS)
    inputs.set(features)
    writeOthers(inputs, features.length, unpacked, topics.scale, words)
    inputs[inputs.length - 2] = known
    inputs[inputs.length - 1] = added
    return inputs
  })
}
