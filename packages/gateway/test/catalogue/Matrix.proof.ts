import { it } from "@effect/vitest"
import { assertMatrix, LONGEST_MS } from "./MatrixRun.ts"

it.effect("every feature of every current model works streamed and not", () => assertMatrix(true), LONGEST_MS)
