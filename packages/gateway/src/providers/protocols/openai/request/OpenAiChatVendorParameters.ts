/** Parameters that a vendor or a model takes differently (`Quirks`). */
import { Result } from "effect"
import type { Adaptation, Quirks } from "../../../../core/domain/Deployment.ts"
import { Unsupported } from "../../../../core/domain/Failures.ts"
import { holds } from "../../../../core/operations/RequestFeatures.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { nearestEffort } from "../../shared/Efforts.ts"
import { isObject, arrayOf } from "../../../json/LooseJson.ts"

const NOTHING: ReadonlyArray<string> = []
const NO_QUIRKS: Quirks = {}
const REFUSED = "does not take it"

type VendorBody = Record<string, unknown>

/** The names of the caller's parameters that were left out or weakened; where the caller is strict, a refusal. */
export const adapted = (
  body: VendorBody,
  call: UpstreamCall,
  quirks: Quirks = call.deployment.quirks ?? NO_QUIRKS
): Result.Result<ReadonlyArray<string>, Unsupported> => {
  const { adaptations, efforts, ranges, refuses, renames } = quirks
  let lost: Array<{ readonly name: string; readonly takes: string }> | undefined
  const lose = (name: string, takes: string): void => void (lost ??= []).push({ name, takes })
  if (refuses !== undefined) for (const path of refuses) if (remove(body, path)) lose(path, REFUSED)
  if (adaptations !== undefined) {
    const { features = 0 } = call.request
    for (const one of adaptations) {
      if (!holds(features, one)) continue
      if (one.action === "refuse" && body[one.field] !== undefined) return Result.fail(refusal(call, one))
      adapt(body, one, lose)
    }
  }
  for (const name in ranges) clamp(body, name, ranges[name]![0], ranges[name]![1], lose)
  if (efforts !== undefined || quirks.thinkingSwitch !== undefined) weigh(body, quirks, lose)
  if (call.strict && lost !== undefined) return Result.fail(notStrictly(call, lost[0]!.name, lost[0]!.takes))
  for (const name in renames) rename(body, name, renames[name]!)
  return Result.succeed(lost === undefined ? NOTHING : lost.map(({ name }) => name))
}

const notStrictly = ({ deployment }: UpstreamCall, name: string, takes: string): Unsupported => {
  const key = deployment.facts?.key
  const who = key === undefined ? "the provider" : `the provider (${key} in the model catalogue)`
  const message = `${who} ${takes}: change or leave out \`${name}\`, or choose another model`
  return new Unsupported({ message, param: name })
}

const refusal = ({ deployment: { facts, model } }: UpstreamCall, { field, note }: Adaptation): Unsupported => {
  const why = note ?? `${facts?.key ?? model} does not take it`
  return new Unsupported({
    message: `\`${field}\` is refused: ${why}. Leave it out, or choose another model`,
    param: field
  })
}

type Lose = (name: string, takes: string) => void

const adapt = (body: VendorBody, { action, field, least = 0, most = 0, to }: Adaptation, lose: Lose): void => {
  switch (action) {
    case "drop": {
      const isNeutral = to !== undefined && body[field] === to
      if (remove(body, field) && !isNeutral) lose(field, to === undefined ? REFUSED : `takes ${to} alone`)
      return
    }
    case "set": {
      const given = body[field]
      body[field] = to
      if (given !== undefined && given !== to) lose(field, `takes ${to} for such a request`)
      return
    }
    case "clamp":
      return clamp(body, field, least, most, lose)
    case "rename":
      return rename(body, field, String(to))
  }
}

const rename = (body: VendorBody, name: string, theirs: string): void => {
  if (body[name] === undefined) return
  body[theirs] ??= body[name]
  delete body[name]
}

const clamp = (body: VendorBody, name: string, least: number, most: number, lose: Lose): void => {
  const value = body[name]
  if (typeof value !== "number" || (value >= least && value <= most)) return
  body[name] = Math.min(most, Math.max(least, value))
  lose(name, `takes ${least} to ${most}`)
}

const NONE = "none"

/** The nearest effort that the model has, in chat's words or those of Responses. */
const weigh = (body: VendorBody, quirks: Quirks, lose: Lose): void => {
  const { reasoning, reasoning_effort: effort } = body
  if (typeof effort === "string") return weighChat(body, effort, quirks, lose)
  if (!isObject(reasoning) || typeof reasoning["effort"] !== "string") return
  const { efforts, thinkingSwitch } = quirks
  const asked = reasoning["effort"]
  // Responses have no other way to turn reasoning off.
  if (asked === NONE && thinkingSwitch !== undefined) return
  const sent = sentEffort(asked, efforts)
  if (sent === asked) return
  const { effort: _, ...others } = reasoning
  body["reasoning"] = sent === undefined ? others : { ...reasoning, effort: sent }
  lose("reasoning.effort", takesOf(efforts))
}

const weighChat = (body: VendorBody, asked: string, { efforts, thinkingSwitch }: Quirks, lose: Lose): void => {
  const field = "reasoning_effort"
  if (thinkingSwitch !== undefined && (asked === NONE ? efforts?.includes(NONE) !== true : efforts?.length === 0)) {
    delete body[field]
    const isOn = asked !== NONE
    body[thinkingSwitch] ??= thinkingSwitch === "thinking" ? { type: isOn ? "enabled" : "disabled" } : isOn
    if (isOn) lose(field, "reasons or not, without levels")
    return
  }
  const sent = sentEffort(asked, efforts)
  if (sent === asked) return
  if (sent === undefined) delete body[field]
  else body[field] = sent
  lose(field, takesOf(efforts))
}

/** Undefined: it takes none. */
const sentEffort = (asked: string, efforts: Quirks["efforts"]): string | undefined =>
  efforts?.length === 0 ? undefined : nearestEffort(asked, efforts)

const takesOf = (efforts: ReadonlyArray<string> = []): string =>
  efforts.length === 0 ? REFUSED : `takes ${efforts.join(", ")}`

const IN_INCLUDE = "include="

/** Removes a field (`a`, `messages[].a`) or an entry of a list (`include=a`). Whether there was one that asked for something. */
const remove = (body: VendorBody, path: string): boolean => {
  if (path.startsWith(IN_INCLUDE)) {
    const { include } = body
    const kept = arrayOf(include).filter((one) => one !== path.slice(IN_INCLUDE.length))
    if (kept.length === arrayOf(include).length) return false
    body["include"] = kept
    return true
  }
  let isLoss = false
  const without = (value: unknown, [name = "", ...names]: ReadonlyArray<string>): unknown => {
    if (Array.isArray(value)) {
      const items = value.map((item) => without(item, [name, ...names]))
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    if (!isObject(value) || value[name] === undefined) return value
    const { [name]: found, ...others } = value
    if (names.length === 0) {
      isLoss ||= found !== false
      return others
    }
    const inner = without(found, names)
    return inner === found ? value : { ...value, [name]: inner }
  }
  const [field = "", ...names] = path.split(/(?:\[\])?\./)
  const found = body[field]
  if (found === undefined) return false
  if (names.length > 0) body[field] = without(found, names)
  else {
    isLoss = found !== false
    delete body[field]
  }
  return isLoss
}
