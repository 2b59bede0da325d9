/**
 * A strict reader of Prometheus' text format 0.0.4: names, escapes, order, types, and what makes a histogram one. What it refuses a
 * real Prometheus may take; what it takes every Prometheus does.
 */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y
const VALUE = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[+-]Inf|NaN)$/i

/** Throws at the first line that is not right. */
export const readPrometheus = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) throw new Error("the last line has no end")
  const families = new Map<string, Family & { readonly samples: Array<Sample> }>()
  const seen = new Set<string>()
  let help: readonly [name: string, text: string] | undefined
  let current: (Family & { readonly samples: Array<Sample> }) | undefined
  for (const line of text.slice(0, -1).split("\n")) {
    const described = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line)
    if (described?.[1] === "HELP") {
      help = [described[2]!, described[3]!]
    } else if (described?.[1] === "TYPE") {
      const [, , name = "", type = ""] = described
      if (help?.[0] !== name) throw new Error(`${name} has no help`)
      if (families.has(name)) throw new Error(`${name} comes twice`)
      if (type !== "counter" && type !== "gauge" && type !== "histogram") throw new Error(`${name} is a ${type}`)
      current = { name, type, help: help[1], samples: [] }
      families.set(name, current)
    } else {
      const sample = readSample(line)
      if (current === undefined || !belongs(sample.name, current)) throw new Error(`a sample out of place: ${line}`)
      const series = line.slice(0, line.lastIndexOf(" "))
      if (seen.has(series)) throw new Error(`the same series twice: ${series}`)
      seen.add(series)
      current.samples.push(sample)
    }
  }
  for (const family of families.values()) check(family)
  return families
}

const readSample = (line: string): Sample => {
  const [, name, inner, value] = SAMPLE.exec(line) ?? []
  if (name === undefined || value === undefined || !VALUE.test(value)) throw new Error(`not a sample: ${line}`)
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  const text = inner ?? ""
  while (LABEL.lastIndex < text.length) {
    const [, label, escaped] = LABEL.exec(text) ?? []
    if (label === undefined || escaped === undefined || label in labels) throw new Error(`labels of: ${line}`)
    labels[label] = escaped.replace(/\\(.)/g, (_, one: string) => (one === "n" ? "\n" : one))
  }
  return { name, labels, value: numberOf(value) }
}

const numberOf = (value: string): number =>
  value === "+Inf" ? Infinity : value === "-Inf" ? -Infinity : value === "NaN" ? NaN : Number(value)

const belongs = (name: string, { name: family, type }: Family): boolean =>
  type === "histogram" ? [`${family}_bucket`, `${family}_sum`, `${family}_count`].includes(name) : name === family

const check = ({ name, samples, type }: Family): void => {
  if (samples.length === 0) throw new Error(`${name} has no samples`)
  if (type === "counter" && !name.endsWith("_total")) throw new Error(`the counter ${name} does not end in _total`)
  if (type !== "histogram") return
  const buckets = new Map<string, Array<Sample>>()
  for (const sample of samples.filter((one) => one.name === `${name}_bucket`)) {
    const { le: _, ...labels } = sample.labels
    const key = JSON.stringify(labels)
    buckets.set(key, [...(buckets.get(key) ?? []), sample])
  }
  const counts = new Map(
    samples.filter((one) => one.name === `${name}_count`).map((one) => [JSON.stringify(one.labels), one.value])
  )
  if (counts.size !== buckets.size) throw new Error(`${name} has buckets without a count`)
  for (const [key, series] of buckets) {
    const bounds = series.map((one) => numberOf(one.labels["le"] ?? "NaN"))
    if (bounds.at(-1) !== Infinity) throw new Error(`${name} has no bucket for all`)
    if (bounds.some((bound, index) => index > 0 && !(bound > bounds[index - 1]!)))
      throw new Error(`${name} is unordered`)
    if (series.some((one, index) => index > 0 && one.value < series[index - 1]!.value))
      throw new Error(`${name} does not add up`)
    if (series.at(-1)!.value !== counts.get(key)) throw new Error(`${name} counts otherwise than its buckets`)
  }
}

/** The value of the one sample with these labels (and maybe more); undefined when there is none. */
export const valueOf = (
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {}
): number | undefined => {
  const family = families.get(name.replace(/_(bucket|sum|count)$/, "")) ?? families.get(name)
  const found = (family?.samples ?? []).filter(
    (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value)
  )
  if (found.length > 1) throw new Error(`${found.length} samples of ${name} with ${JSON.stringify(labels)}`)
  return found[0]?.value
}
