/** Which requests are traced: OTEL_TRACES_SAMPLER and its argument, and what the caller's own trace says. */
import type { TraceParent } from "./TraceContext.ts"

export interface Sampler {
  /** Whether a caller's decision is followed where there is one. */
  readonly followsParent: boolean
  /** Share of all other requests, 0 to 1. */
  readonly ratio: number
}

const ratios = { always_on: 1, always_off: 0, traceidratio: undefined }

export const readSampler = (
  name: string | undefined,
  argument: string | undefined,
  problems: Array<string>
): Sampler => {
  const [, parent, kind = ""] = /^(parentbased_)?(.*)$/.exec(name ?? "parentbased_always_on") ?? []
  const followsParent = parent !== undefined
  if (!Object.hasOwn(ratios, kind)) {
    problems.push("OTEL_TRACES_SAMPLER is not one that is known here: every request is traced")
    return { followsParent: true, ratio: 1 }
  }
  const ratio = ratios[kind as keyof typeof ratios] ?? Number(argument ?? "1")
  if (ratio >= 0 && ratio <= 1) return { followsParent, ratio }
  problems.push("OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1: every request is traced")
  return { followsParent, ratio: 1 }
}

/** The last 7 bytes of a trace id are random: the same trace is decided the same way everywhere. */
const RANDOM_DIGITS = 14

export const isSampled = (sampler: Sampler, parent: TraceParent | undefined, traceId: () => string): boolean => {
  if (sampler.followsParent && parent !== undefined) return parent.sampled
  if (sampler.ratio === 1 || sampler.ratio === 0) return sampler.ratio === 1
  return Number.parseInt(traceId().slice(-RANDOM_DIGITS), 16) / 16 ** RANDOM_DIGITS < sampler.ratio
}
