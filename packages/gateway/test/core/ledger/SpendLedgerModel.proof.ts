import { it } from "@effect/vitest"
import { runCourses } from "./RandomCourses.ts"

it.effect("the spend ledger does what its model does in 10,000 random courses", () => runCourses(10_000), 300_000)
