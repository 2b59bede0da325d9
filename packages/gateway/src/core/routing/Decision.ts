/** What the router decided for one request, and why. */
import type { Demand } from "./Classifier.ts"
import { bucketIndexOf, type Preference } from "./CutPoints.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { NanoUsd } from "../domain/Money.ts"
import { type Ineligible, wordsOf } from "./Eligibility.ts"

/** What `auto` would have done, where it only watches. */
export interface Shadow {
  readonly bucket: string
  readonly score: number
  /** Null: nothing in that bucket or above could have served the request. */
  readonly deployment: string | null
  /** What the request is expected to cost more where it went than where `auto` would have sent it; null where nobody knows a price. */
  readonly difference: NanoUsd | null
}

/** What the caller says of a request beside its body. */
export interface Hints {
  /** What it names its session. */
  readonly sessionId?: string | undefined
  readonly prefer?: Preference | undefined
}

/** How demanding a session is now, to be remembered once the request was answered. */
export interface Topic extends Demand {
  readonly session: string
}

/** The bucket of requests that have none: the caller named the model, or asked for vectors. */
export const NO_BUCKET = "none"

export interface Decision {
  /** At least one; the first is tried first. */
  readonly candidates: ReadonlyArray<Deployment>
  /** The classifier's bucket for `auto`; `none` when the caller named the model. */
  readonly bucket: string
  /** 0 to 1; 0 when no score decided. */
  readonly score: number
  /** Why, in plain words: what was asked for, what the classifier saw, what was left out. Put together by who reads it. */
  readonly reasons: ReadonlyArray<string>
  /** What the session's deployment is remembered under; undefined where there was nothing to choose, or no session. */
  readonly seat: string | undefined
  readonly topic?: Topic | undefined
  readonly shadow?: Shadow | undefined
  /** The request's own prompt was classified: it has a text, and is no follow-up. */
  readonly isClassified?: boolean
}

/** What the words of an `auto` decision are made of. Nothing of the request's body. */
interface Parts {
  readonly bucket: number
  readonly names: ReadonlyArray<string>
  readonly cutPoints: ReadonlyArray<number>
  /** What the classifier saw. */
  readonly seen: ReadonlyArray<string>
  /** What was in the way of deployments of this bucket and above. */
  readonly unfit: ReadonlyArray<Ineligible>
  readonly upward: ReadonlySet<Deployment>
  /** What else there is to say. */
  readonly notes: ReadonlyArray<string>
}

/** Most decisions are never read: their words are made when one is. */
export class AutoDecision implements Decision {
  readonly candidates: ReadonlyArray<Deployment>
  readonly bucket: string
  readonly score: number
  readonly seat: string | undefined
  readonly topic: Topic | undefined
  readonly isClassified: boolean
  private readonly parts: Parts

  constructor(
    candidates: ReadonlyArray<Deployment>,
    score: number,
    seat: string | undefined,
    topic: Topic | undefined,
    isClassified: boolean,
    parts: Parts
  ) {
    this.candidates = candidates
    this.bucket = parts.names[parts.bucket]!
    this.score = score
    this.seat = seat
    this.topic = topic
    this.isClassified = isClassified
    this.parts = parts
  }

  get reasons(): ReadonlyArray<string> {
    const { notes, seen, unfit, upward } = this.parts
    const left = unfit.filter(({ deployment }) => upward.has(deployment)).map(wordsOf)
    return [`auto: score ${this.score}${this.where()}, bucket ${this.bucket}`, ...seen, ...left, ...notes]
  }

  /** Nothing, where it is not the score that decided. */
  private where(): string {
    const { bucket, cutPoints } = this.parts
    if (bucketIndexOf(this.score, cutPoints) !== bucket) return ""
    const [from, to] = [cutPoints[bucket - 1], cutPoints[bucket]]
    const above = from === undefined ? [] : [`not below ${from}`]
    const below = to === undefined ? [] : [`below ${to}`]
    const where = [...above, ...below].join(" and ")
    return where === "" ? "" : ` is ${where}`
  }
}
