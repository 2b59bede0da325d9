/** Which deployments of an outcomes file a command takes for the weak and for the strong side. */
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import type { OutcomeRow } from "@model-gateway/router-lab/training/Outcomes"
import { deploymentsOf, divide, type Sides } from "@model-gateway/router-lab/training/Sides"
import { CommandFailed, wrongUsage } from "../Failure.ts"
import { textFlag } from "../Flags.ts"

const names = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

export const sideFlags = {
  weak: textFlag("weak", "A,B", "the deployments that simple prompts should go to (default: the cheaper ones)").pipe(
    Flag.map(names),
    Flag.optional
  ),
  strong: textFlag("strong", "C,D", "the deployments for the others (default: the more expensive ones)").pipe(
    Flag.map(names),
    Flag.optional
  )
}

interface SideFlags {
  readonly weak: Option.Option<ReadonlyArray<string>>
  readonly strong: Option.Option<ReadonlyArray<string>>
}

/** What the flags say; what they leave open is found from the rows, among the deployments that they don't name. */
export const chosenSides = Effect.fnUntraced(function* (
  rows: ReadonlyArray<Pick<OutcomeRow, "outcomes">>,
  flags: SideFlags
) {
  const deployments = deploymentsOf(rows)
  const known = deployments.map(({ name }) => name)
  const weak = Option.getOrUndefined(flags.weak)
  const strong = Option.getOrUndefined(flags.strong)
  for (const [flag, given] of [
    ["--weak", weak],
    ["--strong", strong]
  ] as const) {
    if (given === undefined) continue
    if (given.length === 0) return yield* wrongUsage(`${flag} must name at least one deployment`)
    const unknown = given.find((name) => !known.includes(name))
    if (unknown !== undefined) {
      return yield* wrongUsage(`${flag}: no row has an outcome of "${unknown}"; the file has ${known.join(", ")}`)
    }
  }
  const both = weak?.find((name) => strong?.includes(name))
  if (both !== undefined) return yield* wrongUsage(`"${both}" is named by --weak and --strong; it can be only one`)
  const others = deployments.filter(({ name }) => weak?.includes(name) !== true && strong?.includes(name) !== true)
  if (weak !== undefined && strong !== undefined) return { weak, strong } satisfies Sides
  const isSide = weak !== undefined || strong !== undefined
  if (others.length < (isSide ? 1 : 2)) {
    return yield* new CommandFailed({
      message:
        known.length === 0
          ? "No row has a prompt and a graded outcome: 0 usable rows."
          : `All outcomes are of ${known.join(", ")}: there is nothing to choose between. Rows of at least two deployments are needed.`
    })
  }
  const rest = others.map(({ name }) => name)
  if (weak !== undefined) return { weak, strong: rest } satisfies Sides
  if (strong !== undefined) return { weak: rest, strong } satisfies Sides
  return divide(deployments)
})
