/**
 * The fields a log line may have, each with what may stand in it. Anything else, by name or by value, is left out: so no prompt, no
 * header and no credential gets into a log because somebody annotated one.
 */
export type Value = string | number | boolean

type Field = (value: unknown) => Value | undefined

const matching =
  (pattern: RegExp): Field =>
  (value) =>
    typeof value === "string" && pattern.test(value) ? value : undefined

/** Words of ours: statuses, classes, names of endpoints. */
const word = matching(/^[a-z][\w./-]{0,63}$/)
/** Names from the configuration or from an administrator. */
// oxlint-disable-next-line no-control-regex -- a line break would begin another line
const name = matching(/^[^\x00-\x1f\x7f]{1,200}$/)
const number: Field = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined)
const flag: Field = (value) => (typeof value === "boolean" ? value : undefined)

export const fields = {
  request_id: matching(/^req_[0-9a-v]{1,32}$/),
  key_id: matching(/^key_\w{1,32}$/),
  key_name: name,
  team: name,
  endpoint: matching(/^\/[\w./-]{0,63}$/),
  status: word,
  error: matching(/^\w{1,64}$/),
  deployment: name,
  bucket: name,
  stream: flag,
  retries: number,
  cost_usd: number,
  budget: word,
  budget_window: word,
  budget_usd: number,
  budget_used_usd: number,
  needed_usd: number,
  priced: flag,
  estimated: flag,
  input_tokens: number,
  output_tokens: number,
  duration_ms: number,
  first_token_ms: number,
  upstream_status: number,
  upstream_code: name,
  upstream_type: name,
  upstream_message: name,
  // oxlint-disable-next-line no-control-regex -- a line break would begin another line
  adapted: matching(/^[^\x00-\x1f\x7f]{1,2500}$/),
  http_status: number,
  signal: word,
  count: number
} satisfies Readonly<Record<string, Field>>

export type FieldName = keyof typeof fields

/** What of `given` may be shown. */
export const allowed = (given: Readonly<Record<string, unknown>>): Record<string, Value> => {
  const kept: Record<string, Value> = {}
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(fields, name)) continue
    const shown = fields[name as FieldName](value)
    if (shown !== undefined) kept[name] = shown
  }
  return kept
}
