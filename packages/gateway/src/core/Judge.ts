/**
 * How demanding a request is: its score, and the bucket that makes. Follow-ups are as demanding as what they follow, but for those
 * that ask for nothing.
 */
import type { RoutedRequest } from "./ChatRequest.ts"
import type { Classified, Classifier } from "./Classifier.ts"
import { bucketIndexOf, type CutPoints, type Preference } from "./CutPoints.ts"
import type { Topic } from "./Decision.ts"
import { asksOrOffers, closing } from "./Closing.ts"
import { type Before, before, isShort } from "./FollowUp.ts"
import type { RecentMap } from "./RecentMap.ts"

/** What the caller says of a request beside its body. */
export interface Hints {
  /** What it names its session. */
  readonly sessionId?: string | undefined
  readonly prefer?: Preference | undefined
}

export interface Judged {
  readonly score: number
  /** The index of its bucket. */
  readonly bucket: number
  readonly seen: ReadonlyArray<string>
  /** What a short message was taken for, in words; undefined: a message like any other. */
  readonly short: string | undefined
  /** Undefined where the caller names no session. */
  readonly topic: Topic | undefined
  /** The text that was classified; undefined where none was. Not to be kept. */
  readonly text: string | undefined
}

/** Pictures, recordings and files alone are no evidence of an easy task, nor of a hard one. */
export const UNREAD: Classified = {
  score: 0.5,
  reasons: ["nothing to read beside images, audio, files or tokens: taken for the middle of the scale"]
}

export interface Lately {
  readonly bucket: number
  readonly score: number
}

export const makeJudge =
  (classifier: Pick<Classifier["Service"], "classify">, cutPoints: CutPoints, lately: Pick<RecentMap<Lately>, "get">) =>
  (request: RoutedRequest, keyId: string, { prefer, sessionId }: Hints, now: number): Judged => {
    const points = cutPoints[prefer ?? "none"]
    const { prompt } = request
    const session = sessionId === undefined ? undefined : `${keyId} ${sessionId}`
    const isUnread = request.hasUnread && prompt.trim() === ""
    const own = isUnread ? UNREAD : classifier.classify(prompt)
    const bucket = bucketIndexOf(own.score, points)
    const judged = (
      score: number,
      bucket: number,
      reasons: ReadonlyArray<string>,
      text: string | undefined,
      short?: string
    ): Judged => ({
      score,
      bucket,
      seen: short === undefined ? reasons : [short, ...reasons],
      short,
      text,
      topic: topicOf({ bucket, score })
    })
    const topicOf = (lately: Lately | undefined): Topic | undefined =>
      session === undefined || lately === undefined
        ? undefined
        : { session, bucket: lately.bucket, score: lately.score }
    const byItself = () => judged(own.score, bucket, own.reasons, isUnread ? undefined : prompt)
    if (!isShort(prompt)) return byItself()

    const known = session === undefined ? undefined : lately.get(session, now)
    const { answer, isAnswered, task } = request.history.length > 1 ? before(request.history) : unanswered
    const closes = request.hasUnread || (known === undefined && !isAnswered) ? undefined : closing(prompt)
    // Praise is a yes to what was asked or offered, and nobody knows whether it was where the answer is not there to be read.
    if (closes === "courtesy" || (closes === "praise" && answer !== "" && !asksOrOffers(answer))) {
      // "Go on" after "thanks" means the task before both: the session's, else that of the history.
      return { ...judged(own.score, bucket, own.reasons, prompt, COURTESY), topic: topicOf(known) }
    }
    // What a session sends alone, without its history, only the session can tell.
    if (known !== undefined) {
      if (known.bucket <= bucket && known.score <= own.score) return byItself()
      const last = { bucket: Math.max(bucket, known.bucket), score: Math.max(own.score, known.score) }
      const short = `a short follow-up: it keeps what its session was at, ${known.score}`
      return judged(last.score, last.bucket, [], undefined, short)
    }
    if (!isAnswered || task === undefined) return byItself()
    const first = classifier.classify(task)
    if (first.score <= own.score) return byItself()
    return judged(first.score, bucketIndexOf(first.score, points), first.reasons, task, FOLLOW_UP)
  }

const unanswered: Before = { isAnswered: false, answer: "", task: undefined }
const FOLLOW_UP = "a short follow-up: scored by the message it follows"
const COURTESY = "a courtesy that asks for nothing: scored by itself, not by what it follows"

export type Judge = ReturnType<typeof makeJudge>
