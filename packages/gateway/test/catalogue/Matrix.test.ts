import { it } from "@effect/vitest"
import { assertMatrix, LONGEST_MS } from "./MatrixRun.ts"

it.effect(
  "every current model serves every feature on every endpoint, or the gateway says what it can't do",
  () => assertMatrix(false),
  LONGEST_MS
)
