/** What the router decided for one request, and why. */
import type { Deployment } from "./Deployment.ts"
import type { RouterSettings } from "./Settings.ts"

export interface Decision {
  /** At least one; the first is tried first. */
  readonly candidates: ReadonlyArray<Deployment>
  /** The classifier's bucket for `auto`; `none` when the caller named the model. */
  readonly bucket: string
  /** 0 to 1; 0 when the caller named the model. */
  readonly score: number
  /** Why, in plain words: what was asked for, what the classifier saw, what was left out. Put together by who reads it. */
  readonly reasons: ReadonlyArray<string>
  /** What the session's deployment is remembered under; undefined where there was nothing to choose, or no session. */
  readonly seat: string | undefined
}

/** Most decisions are never read: their words are made when one is. */
export class AutoDecision implements Decision {
  readonly candidates: ReadonlyArray<Deployment>
  readonly bucket: string
  readonly score: number
  readonly seat: string | undefined
  private readonly details: ReadonlyArray<string>
  private readonly settings: RouterSettings

  constructor(
    candidates: ReadonlyArray<Deployment>,
    bucket: string,
    score: number,
    seat: string | undefined,
    details: ReadonlyArray<string>,
    settings: RouterSettings
  ) {
    this.candidates = candidates
    this.bucket = bucket
    this.score = score
    this.seat = seat
    this.details = details
    this.settings = settings
  }

  get reasons(): ReadonlyArray<string> {
    const { buckets, cutPoints } = this.settings
    const index = buckets.findIndex(({ name }) => name === this.bucket)
    const [from, to] = [cutPoints[index - 1], cutPoints[index]]
    const above = from === undefined ? [] : [`not below ${from}`]
    const below = to === undefined ? [] : [`below ${to}`]
    const where = [...above, ...below].join(" and ")
    return [`auto: score ${this.score}${where === "" ? "" : ` is ${where}`}, bucket ${this.bucket}`, ...this.details]
  }
}

/** Notes which deployments a step of the filter took away; mostly it takes none. */
export const leftOut = (
  before: ReadonlyArray<Deployment>,
  after: ReadonlyArray<Deployment>,
  why: string,
  reasons: Array<string>
): void => {
  if (before.length === after.length) return
  for (const one of before) if (!after.includes(one)) reasons.push(`${one.id} was skipped: ${why}`)
}
