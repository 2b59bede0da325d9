import { it } from "@effect/vitest"
import { runCourses } from "./RandomCourses.ts"

it.effect(
  "the spend ledger does what its model does in 2,000 random courses of events",
  () => runCourses(2_000),
  60_000
)
