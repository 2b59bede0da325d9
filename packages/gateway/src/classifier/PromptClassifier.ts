/**
 * The classifier as the rules ask for it: the model that ships, or the file of `router.model`, which is read again whenever it
 * changes. What can't be used is refused, and the model before it goes on.
 */
import { stat } from "node:fs/promises"
import { Clock, Effect, Layer } from "effect"
import { Classifier, type ModelInForce } from "../core/routing/Classifier.ts"
import { Fleet } from "../core/domain/Fleet.ts"
import { classify, explain } from "./PromptScore.ts"
import { builtinModel } from "./model/Builtin.ts"
import { defaultModel } from "./model/DefaultModel.ts"
import { makeAssess } from "./Difficulty.ts"
import { loadModel } from "./model/LoadModel.ts"
import type { CompiledModel } from "./model/Model.ts"

/**
 * The file is looked at this often. Watching for events instead misses files that are renamed into place, mounted or linked, and
 * would report every write to a store in the same folder; `fs.watchFile` misses a change before its own first look.
 */
const LOOKED_AT_EVERY = "500 millis"

/** Files change in the world's time, whatever the clock of the rest says. */
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

/** One that the configuration names is told by that name. */
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

/** The same as long as the file is; a text that says nothing else. */
const stateOf = (file: string): Effect.Effect<string> =>
  Effect.promise(() =>
    stat(file, { bigint: true }).then(
      ({ ctimeNs, dev, ino, mtimeNs, size }) => [dev, ino, size, mtimeNs, ctimeNs].join(),
      String
    )
  )
