/**
 * What must hold after runs. In each: no budget spent beyond by the provider's bill, no bill above what was held for it, every answer
 * whose provider told its usage booked to the nano-dollar, nothing held at the end. Over all: what is affordable and documented is
 * admitted, and hanging up neither pays nor is punished. Bounds are promised against providers that bill by their published rules: of
 * one that bills more, nothing follows.
 */
import type { Judged, Played } from "./Run.ts"

/** Of the affordable requests with documented content. */
const LEAST_ADMITTED = 0.95
/** What a sample may fall short of that by chance, in standard errors. */
const CHANCE = 2
/** Booked for streams that were stopped, at most so many times what was billed. */
const MOST_FOR_A_STOP = 1.1

export interface Violation {
  readonly seed: number
  readonly what: string
}

export const violationsOf = ({ budgets, judged, seed }: Played): ReadonlyArray<Violation> => {
  const found: Array<string> = []
  for (const { billed, booked, held, limit, requests, scope } of budgets) {
    const owner = scope.startsWith("team") ? "a team" : "a key"
    if (billed > limit) {
      const paid = judged.filter((one) => requests.includes(one.drawn.number) && one.billed > 0)
      const over = paid.filter(isOver)
      // What was held is not known of requests at the same time: the dearest may have been held too low.
      const dearest = paid.toSorted((a, b) => b.billed - a.billed).slice(0, 2)
      const by = (over.length > 0 ? over : dearest).map(costs).join("; ")
      found.push(`${owner} with ${usd(limit)} USD spent ${usd(billed)} (booked ${usd(booked)}): ${by}`)
    }
    if (held !== 0) found.push(`${owner} has ${usd(held)} USD held after the last answer`)
  }
  for (const one of judged) {
    if (one.held !== undefined && one.billed > one.held) {
      found.push(`${named(one)} was billed ${usd(one.billed)} USD, and only ${usd(one.held)} was held for it`)
    }
    if (isExact(one) && one.billed !== one.booked) {
      found.push(`${named(one)} was billed ${usd(one.billed)} USD and booked ${usd(one.booked)}`)
    }
  }
  return found.map((what) => ({ seed, what }))
}

/** More than was held or booked for it. */
export const isOver = ({ billed, booked, held }: Judged): boolean =>
  billed > booked || (held !== undefined && billed > held)

const costs = (one: Judged): string =>
  `${named(one)}${one.hungUp ? ", left," : ""} held ${orUnknown(one.held)} billed ${usd(one.billed)} booked ${usd(one.booked)}`

const orUnknown = (nano: number | undefined): string => (nano === undefined ? "?" : usd(nano))

/** All there is to know of a request, to look into a run that went wrong. */
export const described = (one: Judged): string =>
  `${costs(one)}, worst ${orUnknown(one.worst)} of ${orUnknown(one.room)}, ${one.outcome} ${one.why}`

/** The provider told what was used, to a caller who stayed. */
const isExact = ({ drawn, hungUp, outcome }: Judged): boolean =>
  outcome === "admitted" && !hungUp && drawn.model.tellsUsage

export const named = ({ drawn }: Judged): string =>
  `request ${drawn.number} (${drawn.kind.name}, ${drawn.model.id}${drawn.stream ? ", stream" : ""})`

export const usd = (nano: number): string => (nano / 1e9).toFixed(6)

export interface Overall {
  readonly affordable: number
  readonly admitted: number
  /** What was booked for each dollar billed, of calls whose callers left: plain, streams, and streams of which all can be counted. */
  readonly plainLeft: number
  readonly streamsLeft: number
  readonly stops: number
  readonly problems: ReadonlyArray<string>
}

/** By the gateway: a provider that failed was asked. */
export const isAdmitted = ({ outcome }: Judged): boolean => outcome !== "refused"

export const overallOf = (judged: ReadonlyArray<Judged>): Overall => {
  const wanted = judged.filter(({ affordable, drawn }) => affordable === true && drawn.documented)
  const admitted = wanted.filter(isAdmitted).length
  const left = judged.filter(({ hungUp, outcome }) => hungUp && outcome === "admitted")
  const plainLeft = ratioOf(left.filter(({ drawn }) => !drawn.stream))
  const streamsLeft = ratioOf(left.filter(({ drawn }) => drawn.stream))
  const stops = ratioOf(left.filter(({ drawn }) => drawn.stream && isCountable(drawn)))
  const problems: Array<string> = []
  const share = wanted.length === 0 ? 1 : admitted / wanted.length
  const error = Math.sqrt((LEAST_ADMITTED * (1 - LEAST_ADMITTED)) / Math.max(1, wanted.length))
  if (share < LEAST_ADMITTED - CHANCE * error) {
    problems.push(`${percent(share)} of the affordable requests with documented content were admitted, not 95 %`)
  }
  const all = ratioOf(left)
  if (all < 1) problems.push(`of what callers left, ${percent(all)} of the bill is booked`)
  if (stops > MOST_FOR_A_STOP) problems.push(`streams that were stopped are booked at ${percent(stops)} of the bill`)
  return { affordable: wanted.length, admitted, plainLeft, streamsLeft, stops, problems }
}

/** Whether all can be counted: no hidden thoughts, no audio, no file by its id, no image by address, of which the gateway knows no size. */
const isCountable = ({ documented, kind, model }: Judged["drawn"]): boolean =>
  documented && model.thinks === "no" && kind.name !== "speech" && kind.name !== "image, remote"

const ratioOf = (judged: ReadonlyArray<Judged>): number => {
  const billed = judged.reduce((sum, one) => sum + one.billed, 0)
  return billed === 0 ? 1 : judged.reduce((sum, one) => sum + one.booked, 0) / billed
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
