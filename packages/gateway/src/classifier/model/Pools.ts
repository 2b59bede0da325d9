/** What public questions taught the models that ship: kept here, so that a model trained on top of one need only name it. */
import { Schema } from "effect"
import shipped from "./default-model.json" with { type: "json" }
import { TunedPart } from "./Tuned.ts"

/** The model that ships, among those that did. */
export const SHIPPED = "builtin@2"

/** A part of a file's own, or the name of the model whose part it is. */
export const TunedPool = Schema.Union([TunedPart, Schema.Literal(SHIPPED)])
export type TunedPool = typeof TunedPool.Type

const decode = Schema.decodeUnknownSync(TunedPart)
let known: TunedPart | undefined

export const partOf = (pool: TunedPool | undefined): TunedPart | undefined =>
  pool === SHIPPED ? (known ??= decode(shipped.pool)) : pool
