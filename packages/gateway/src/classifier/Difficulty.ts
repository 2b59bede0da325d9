/**
 * How demanding a request is: its score, and the bucket that makes. Follow-ups are as demanding as what they follow, but for those
 * that ask for nothing.
 */
import type { Assessment, Classified, Classifier, Demand } from "../core/routing/Classifier.ts"
import { bucketIndexOf } from "../core/routing/CutPoints.ts"
import { type Before, before, isShort } from "./small-talk/FollowUp.ts"
import { asksOrOffers, closing } from "./small-talk/SmallTalk.ts"

/** Pictures, recordings and files alone are no evidence of an easy task, nor of a hard one. */
const UNREAD: Classified = {
  score: 0.5,
  reasons: ["nothing to read beside images, audio, files or tokens: taken for the middle of the scale"]
}

export const makeAssess =
  (classify: (prompt: string) => Classified): Classifier["Service"]["assess"] =>
  ({ hasUnread, history, prompt }, { cutPoints, last }) => {
    const isUnread = hasUnread && prompt.trim() === ""
    const own = isUnread ? UNREAD : classify(prompt)
    const bucket = bucketIndexOf(own.score, cutPoints)
    const assessed = (
      { bucket, score }: Demand,
      { features, reasons }: Pick<Classified, "reasons" | "features">,
      text: string | undefined,
      short?: string
    ): Assessment => ({
      bucket,
      score,
      reasons: short === undefined ? reasons : [short, ...reasons],
      features,
      short,
      text,
      session: { bucket, score }
    })
    const byItself = () => assessed({ bucket, score: own.score }, own, isUnread ? undefined : prompt)
    if (!isShort(prompt)) return byItself()

    const known = last()
    const { answer, isAnswered, task } = history.length > 1 ? before(history) : unanswered
    const closes = hasUnread || (known === undefined && !isAnswered) ? undefined : closing(prompt)
    // Praise is a yes to what was asked or offered, and nobody knows whether it was where the answer is not there to be read.
    if (closes === "courtesy" || (closes === "praise" && answer !== "" && !asksOrOffers(answer))) {
      // "Go on" after "thanks" means the task before both: the session's, else that of the history.
      return { ...assessed({ bucket, score: own.score }, own, prompt, COURTESY), session: known }
    }
    // What a session sends alone, without its history, only the session can tell.
    if (known !== undefined) {
      if (known.bucket <= bucket && known.score <= own.score) return byItself()
      const demand = { bucket: Math.max(bucket, known.bucket), score: Math.max(own.score, known.score) }
      const short = `a short follow-up: it keeps what its session was at, ${known.score}`
      return assessed(demand, NOTHING, undefined, short)
    }
    if (!isAnswered || task === undefined) return byItself()
    const first = classify(task)
    if (first.score <= own.score) return byItself()
    const demand = { bucket: bucketIndexOf(first.score, cutPoints), score: first.score }
    return assessed(demand, first, task, FOLLOW_UP)
  }

/** The session says it all. */
const NOTHING: Pick<Classified, "reasons"> = { reasons: [] }
const unanswered: Before = { isAnswered: false, answer: "", task: undefined }
const FOLLOW_UP = "a short follow-up: scored by the message it follows"
const COURTESY = "a courtesy that asks for nothing: scored by itself, not by what it follows"
