/** The model that ships, made by `npm run router:build`. */
import { Result } from "effect"
import file from "./default-model.json" with { type: "json" }
import { type CompiledModel, prepare } from "./Model.ts"
import { decodeModel } from "./ModelFile.ts"

/** Decoded like any other: a release whose features and file don't fit must not start. */
export const defaultModel: CompiledModel = prepare(Result.getOrThrow(decodeModel(file)))
