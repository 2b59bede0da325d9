/** The classifier: the model that ships, or the file of `router.model`, which is read again when it changes, if it can be used. */
import { stat } from "node:fs/promises"
import { Clock, Effect, Layer } from "effect"
import { Fleet } from "../core/domain/Fleet.ts"
import {
  type Assessment,
  type Classified,
  Classifier,
  type Demand,
  type ModelInForce
} from "../core/routing/Classifier.ts"
import { bucketIndexOf } from "../core/routing/CutPoints.ts"
import { classify, explain } from "./PromptScore.ts"
import { builtinModel, defaultModel } from "./model/Builtin.ts"
import type { CompiledModel } from "./model/Model.ts"
import { loadModel } from "./model/LoadModel.ts"
import { asksOrOffers, type Before, before, closing, isShort } from "./small-talk/SmallTalk.ts"

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

/** Watching for events instead misses files that are renamed into place, mounted or linked; `fs.watchFile` misses early changes. */
const LOOKED_AT_EVERY = "500 millis"

/** In real time, also under a test clock: the file system has no other. */
const pause = Effect.provideService(Effect.sleep(LOOKED_AT_EVERY), Clock.Clock, Clock.Clock.defaultValue())

export const layer = Layer.effect(
  Classifier,
  Effect.gen(function* () {
    const { router } = yield* Fleet
    const now = yield* Clock.currentTimeMillis
    if (router.model === undefined) return serving(() => inForce(defaultModel, undefined, now))
    const builtin = builtinModel(router.model)
    return builtin === undefined ? yield* watched(router.model) : serving(() => shipped(router.model!, builtin, now))
  })
)

interface InForce {
  readonly model: CompiledModel
  readonly told: ModelInForce
}

const inForce = (model: CompiledModel, file: string | undefined, loadedAt: number): InForce => {
  const { date, name } = model.file.card
  return { model, told: { name, date, file, loadedAt, refused: undefined } }
}

const shipped = (name: string, model: CompiledModel, loadedAt: number): InForce => ({
  model,
  told: { name, date: model.file.card.date, file: undefined, loadedAt, refused: undefined }
})

const serving = (now: () => InForce): Classifier["Service"] => ({
  assess: makeAssess((prompt) => classify(prompt, now().model)),
  explain: (prompt) => explain(prompt, now().model),
  model: () => now().told
})

const watched = Effect.fnUntraced(function* (file: string) {
  // Before it is read: whatever is written from here on differs from this.
  let seen = yield* stateOf(file)
  const first = yield* loadModel(file)
  let { text } = first
  let current = inForce(first.model, file, yield* Clock.currentTimeMillis)

  const reload = Effect.gen(function* () {
    const read = yield* loadModel(file)
    // Touched, or written with what it held before.
    if (read.text === text && current.told.refused === undefined) return
    text = read.text
    current = inForce(read.model, file, yield* Clock.currentTimeMillis)
    const { date, name } = current.told
    yield* Effect.logInfo(`loaded the router model "${name}" of ${date} from ${file}`)
  }).pipe(
    Effect.catch(({ message }) =>
      Effect.gen(function* () {
        current = { ...current, told: { ...current.told, refused: { at: yield* Clock.currentTimeMillis, message } } }
        yield* Effect.logWarning(`the router keeps its model "${current.told.name}": ${message}`)
      })
    )
  )

  const look = Effect.gen(function* () {
    yield* pause
    const state = yield* stateOf(file)
    if (state === seen) return
    seen = state
    yield* reload
  })
  yield* Effect.forkScoped(Effect.forever(look))
  return serving(() => current)
})

const stateOf = (file: string): Effect.Effect<string> =>
  Effect.promise(() =>
    stat(file, { bigint: true }).then(
      ({ ctimeNs, dev, ino, mtimeNs, size }) => [dev, ino, size, mtimeNs, ctimeNs].join(),
      String
    )
  )
