/** `defaults` and `fixed` of a deployment or an alias: parameters for requests. */
import { Schema } from "effect"
import type { JsonObject } from "../../core/domain/Json.ts"
import { presetEfforts, type PresetParameters, type Presets } from "../../core/domain/Presets.ts"
import { DecodedTable, refuse, refuseWith } from "../Decode.ts"
import { listed } from "../../core/collections/Suggest.ts"
import { atMost, group, integer, oneOf, readBy, textOf } from "../SettingValues.ts"

/** What callers alone say. */
const CALLERS = "model stream messages contents input prompt system instructions previous_response_id store".split(" ")

const BODY = "a group of fields of the request's body"

/** Plain JSON. A number may stand in a variable as a whole. */
const jsonOf = (written: unknown): unknown => {
  if (written instanceof DecodedTable) {
    return Object.fromEntries(written.entries.map(([key, value]) => [key, jsonOf(value)]))
  }
  return Array.isArray(written) ? written.map(jsonOf) : textOf(written)
}

const Body = readBy(
  (written) => (written instanceof DecodedTable ? jsonOf(written) : undefined),
  Schema.Record(Schema.String, Schema.Unknown)
    .annotate({ expected: BODY })
    .check(
      refuse((body) => {
        const found = CALLERS.find((name) => Object.hasOwn(body, name))
        const message = `"${found}" is the caller's own and can't be set here (${listed(CALLERS)})`
        return found === undefined ? undefined : () => ({ message, allowed: BODY, found: JSON.stringify(found) })
      })
    )
)

const Parameters = group({
  effort: Schema.optionalKey(oneOf("an effort", presetEfforts)),
  thinking: Schema.optionalKey(integer({ from: 0, to: 1_000_000 })),
  max_tokens: Schema.optionalKey(integer({ from: 1, to: 10_000_000 })),
  temperature: Schema.optionalKey(atMost(2)),
  extra_body: Schema.optionalKey(Body)
})

type ReadParameters = typeof Parameters.Type

/** Both say how much to think. */
const Preset = Parameters.check(
  refuseWith(
    "one of them",
    ({ effort, thinking }: ReadParameters) =>
      effort === undefined || thinking === undefined
        ? undefined
        : "`effort` and `thinking` both say how much to reason; leave one of them out",
    "both"
  )
)

/** Fields of a deployment, and of an alias. */
export const presetFields = { defaults: Schema.optionalKey(Preset), fixed: Schema.optionalKey(Preset) }

const parametersOf = ({ effort, extra_body, max_tokens, temperature, thinking }: ReadParameters): PresetParameters => ({
  ...(thinking === 0 ? { effort: "none" } : {}),
  ...(effort === undefined ? {} : { effort }),
  ...(thinking === undefined || thinking === 0 ? {} : { thinking }),
  ...(max_tokens === undefined ? {} : { maxTokens: max_tokens }),
  ...(temperature === undefined ? {} : { temperature }),
  ...(extra_body === undefined ? {} : { extraBody: extra_body as JsonObject })
})

export const presetsOf = (read: {
  readonly defaults?: ReadParameters
  readonly fixed?: ReadParameters
}): { readonly presets?: Presets } =>
  read.defaults === undefined && read.fixed === undefined
    ? {}
    : { presets: { defaults: parametersOf(read.defaults ?? {}), fixed: parametersOf(read.fixed ?? {}) } }
