/** The models that ship by their names: `router.model: builtin@1` keeps what shipped before, prompt by prompt and digit by digit. */
import { Result } from "effect"
import { type CompiledModel, prepare } from "./Model.ts"
import { decodeModel } from "./ModelFile.ts"
import { SHIPPED } from "./Pools.ts"
import first from "./builtin-1.json" with { type: "json" }
import file from "./default-model.json" with { type: "json" }

// The model that ships, made by `npm run router:build`.

/** Decoded like any other: a release whose features and file don't fit must not start. */
export const defaultModel: CompiledModel = prepare(Result.getOrThrow(decodeModel(file)))

let earlier: CompiledModel | undefined

/** Undefined: no model of this name ships. */
export const builtinModel = (name: string): CompiledModel | undefined => {
  switch (name) {
    case "builtin@1":
      return (earlier ??= prepare(Result.getOrThrow(decodeModel(first))))
    case SHIPPED:
      return defaultModel
    default:
      return undefined
  }
}
