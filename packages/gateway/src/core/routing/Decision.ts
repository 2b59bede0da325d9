/** The router's decision for one request, and its reasons. */
import type { Contribution, Demand } from "./Classifier.ts"
import type { Choice } from "../domain/Choice.ts"
import { bucketIndexOf, type Preference } from "./CutPoints.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { NanoUsd } from "../domain/Money.ts"
import type { Presets } from "../domain/Presets.ts"
import { type Ineligible, wordsOf } from "./Eligibility.ts"

/** What `auto` would have done in shadow mode. */
export interface Shadow {
  readonly bucket: string
  readonly score: number
  /** Null: nothing in that bucket or above could have served the request. */
  readonly deployment: string | null
  /** The expected cost of the real route minus that of the route `auto` would have taken; null if a price is unknown. */
  readonly difference: NanoUsd | null
}

/** What the caller says about a request outside its body. */
export interface Hints {
  readonly sessionId?: string | undefined
  /** The conversation of one agent of the session, which stays where its prompt cache is. Left out: the session has one. */
  readonly threadId?: string | undefined
  readonly prefer?: Preference | undefined
}

export const threadOf = ({ sessionId, threadId }: Hints): string | undefined => threadId ?? sessionId

/** How demanding a session is, to be remembered once the request was answered. */
export interface Topic extends Demand {
  readonly session: string
}

/** The bucket name of requests without a bucket: the caller named the model, or the operation has no prompt. */
export const NO_BUCKET = "none"

export interface Decision {
  /** At least one, in the order in which they are tried. */
  readonly candidates: ReadonlyArray<Deployment>
  /** The classifier's bucket for `auto`; `none` when the caller named the model. */
  readonly bucket: string
  /** 0 to 1; 0 if no score was used. */
  readonly score: number
  /** The reasons in plain words: what was asked for, what the classifier saw, what was excluded. Made when they are read. */
  readonly reasons: ReadonlyArray<string>
  /** The key under which the session's deployment is remembered; undefined without a session, or without a choice. */
  readonly affinityKey: string | undefined
  readonly topic?: Topic | undefined
  readonly shadow?: Shadow | undefined
  /** Whether the request's own prompt was classified: it has text, and is not a follow-up. */
  readonly isClassified?: boolean
  /** Those for this request; undefined where no score was asked for. */
  readonly cutPoints?: ReadonlyArray<number> | undefined
  /** What weighed most, strongest first. */
  readonly features?: ReadonlyArray<Contribution> | undefined
  /** Deployments that can't serve it. */
  readonly unfit?: ReadonlyArray<Ineligible> | undefined
  /** The candidates that were not ready, with the reason, by id. */
  readonly unready?: ReadonlyMap<string, string> | undefined
  /** Deployments that could serve it and are no candidates, if they are none of those above. */
  readonly unused?: Unused | undefined
  /** Those of the alias through which a candidate is called. */
  readonly presets?: ReadonlyMap<Deployment, Presets> | undefined
  /** What the request says of its providers, with what the model's suffix says. */
  readonly choice?: Choice | undefined
}

/** The decision with other candidates. Its getters become values. */
export const withCandidates = (
  decision: Decision,
  candidates: Decision["candidates"],
  choice: Choice | undefined
): Decision => {
  const { bucket, score, reasons, affinityKey, topic, shadow, isClassified = false } = decision
  const { cutPoints, features, unfit, unready, unused, presets } = decision
  const values = { bucket, score, reasons, affinityKey, topic, shadow, isClassified, cutPoints, features }
  return { ...values, unfit, unready, unused, presets, candidates, choice }
}

interface Unused {
  readonly deployments: ReadonlyArray<Deployment>
  readonly fate: "lower_bucket" | "not_needed"
  readonly why: string
}

/** The parts from which the reasons of an `auto` decision are made. Nothing of the request's body. */
interface DecisionParts {
  readonly bucket: number
  readonly names: ReadonlyArray<string>
  readonly cutPoints: ReadonlyArray<number>
  /** What the classifier saw. */
  readonly seen: ReadonlyArray<string>
  readonly features: ReadonlyArray<Contribution>
  /** For each bucket, the deployments that could serve. */
  readonly fit: ReadonlyArray<ReadonlyArray<Deployment>>
  /** Why deployments were excluded. */
  readonly unfit: ReadonlyArray<Ineligible>
  readonly upward: ReadonlySet<Deployment>
  readonly unready: ReadonlyMap<string, string> | undefined
  readonly notes: ReadonlyArray<string>
}

/** Most decisions are never read, so their reasons are made on demand. */
export class AutoDecision implements Decision {
  readonly candidates: ReadonlyArray<Deployment>
  readonly bucket: string
  readonly score: number
  readonly affinityKey: string | undefined
  readonly topic: Topic | undefined
  readonly isClassified: boolean
  private readonly parts: DecisionParts

  constructor(
    decided: Pick<AutoDecision, "candidates" | "score" | "affinityKey" | "topic" | "isClassified">,
    parts: DecisionParts
  ) {
    this.candidates = decided.candidates
    this.bucket = parts.names[parts.bucket]!
    this.score = decided.score
    this.affinityKey = decided.affinityKey
    this.topic = decided.topic
    this.isClassified = decided.isClassified
    this.parts = parts
  }

  get cutPoints(): ReadonlyArray<number> {
    return this.parts.cutPoints
  }

  get features(): ReadonlyArray<Contribution> {
    return this.parts.features
  }

  get unfit(): ReadonlyArray<Ineligible> {
    return this.parts.unfit
  }

  get unready(): ReadonlyMap<string, string> | undefined {
    return this.parts.unready
  }

  get unused(): Unused {
    const { bucket, fit } = this.parts
    const deployments = fit.slice(0, bucket).flat()
    return { deployments, fate: "lower_bucket", why: `its bucket is below ${this.bucket}` }
  }

  get reasons(): ReadonlyArray<string> {
    const { notes, seen, unfit, upward } = this.parts
    const left = unfit.filter(({ deployment }) => upward.has(deployment)).map(wordsOf)
    return [`auto: score ${this.score}${this.where()}, bucket ${this.bucket}`, ...seen, ...left, ...notes]
  }

  /** Empty if the score did not decide. */
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
