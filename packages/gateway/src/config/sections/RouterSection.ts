/** `router`: the buckets behind `model: "auto"`. */
import { Schema } from "effect"
import { keepPrompts, type RouterSettings, builtinModels } from "../../core/domain/Settings.ts"
import { refuse } from "../Decode.ts"
import type { Here } from "../Here.ts"
import { namesIn, TARGETS, type PlacedName, type SettingNames } from "../SettingNames.ts"
import { beside } from "../Paths.ts"
import { atMost, group, numberBetween, oneOf, oneOrMore, or, readBy, record, text, yesOrNo } from "../SettingValues.ts"

export interface Bucket {
  readonly name: string
  readonly serving: ReadonlyArray<PlacedName>
}

/** What the bucket header says of a request whose caller named the model. */
const NO_BUCKET = "none"
/** The bucket of a file that names none. */
const ONLY_BUCKET = "standard"

const DEFAULT_SHIFT = 0.15
/** Half of the scale either way: more would leave nothing between the two. */
const LARGEST_SHIFT = 0.5

/** As they are written, lowest first; undefined where there are none. */
export const bucketsIn = (section: Here | undefined): ReadonlyArray<Bucket> | undefined => {
  const buckets = section?.field("buckets")?.entries ?? []
  return buckets.length === 0 ? undefined : buckets.map(({ here, key }) => ({ name: key, serving: namesIn(here) }))
}

/** How many cut points there must be depends on the buckets. */
export const routerOf = (buckets: ReadonlyArray<Bucket> | undefined) =>
  group({
    buckets: Schema.optionalKey(Buckets),
    cut_points: Schema.optionalKey(cutPointsBetween(buckets?.map((bucket) => bucket.name) ?? [ONLY_BUCKET])),
    prefer_shift: atMost(LARGEST_SHIFT).pipe(or(DEFAULT_SHIFT)),
    model: Schema.optionalKey(scoredBy),
    shadow: yesOrNo.pipe(or(false)),
    keep_prompts: Schema.optionalKey(oneOf("what to keep of prompts", keepPrompts))
  })

const bucketName = Schema.String.check(
  refuse((name) => {
    if (name !== NO_BUCKET && name !== "") return undefined
    const message = `${JSON.stringify(name)} can't be the name of a bucket: it stands for requests that name their model`
    return () => ({ message, allowed: "another name" })
  })
)

const Buckets = record(bucketName, oneOrMore(TARGETS, text(TARGETS))).check(
  refuse((buckets) => {
    const said = { message: "there must be at least one bucket", allowed: "buckets, lowest first", found: "no bucket" }
    return buckets.length === 0 ? () => said : undefined
  })
)

/** A model that ships by its name, or a file. */
const scoredBy = text("the path of a model file, as `model-gateway router train` writes it").check(
  refuse((named) => {
    if (!named.startsWith("builtin@") || builtinModels.some((one) => one === named)) return undefined
    const known = builtinModels.join(", ")
    return ({ shown }) => ({
      message: `no model ${shown} ships with this release; there are ${known}`,
      allowed: `one of ${known}`
    })
  })
)

const cutPointsBetween = (buckets: ReadonlyArray<string>) => {
  const needed = buckets.length - 1
  const numbers = needed === 1 ? "1 number" : `${needed} ascending numbers`
  const allowed = `${numbers} between 0 and 1: one between each two buckets (${buckets.join(", ")})`
  const points = Schema.Array(numberBetween({ from: 0, to: 1 })).annotate({
    expected: allowed,
    problem: ({ node }) => {
      if (node.kind !== "list") return undefined
      const found = node.items.length === 1 ? "1 cut point" : `${node.items.length} cut points`
      return { message: `${found} where there must be ${allowed}`, allowed, found }
    }
  })
  return readBy(
    (written) => (Array.isArray(written) && written.length === needed ? written : undefined),
    points.check(
      refuse((points) =>
        points.every((point, index) => point > (points[index - 1] ?? 0))
          ? undefined
          : () => ({ message: "cut points must ascend", allowed, found: `${needed} cut points` })
      )
    )
  )
}

/** A relative path of a model counts from the folder of `file`. */
export const routerSettings = (
  router: ReturnType<typeof routerOf>["Type"],
  buckets: RouterSettings["buckets"],
  file: string
): RouterSettings => ({
  buckets,
  cutPoints: router.cut_points ?? defaultCutPoints(buckets.length),
  preferShift: router.prefer_shift,
  model: router.model === undefined || router.model.startsWith("builtin@") ? router.model : beside(file, router.model),
  shadow: router.shadow,
  ...(router.keep_prompts === undefined ? {} : { keepPrompts: router.keep_prompts })
})

/** Without buckets, `auto` is all deployments as listed. A name that is unknown is reported. */
export const resolveBuckets = (
  buckets: ReadonlyArray<Bucket> | undefined,
  names: SettingNames
): RouterSettings["buckets"] =>
  buckets?.map(({ name, serving }) => {
    const deployments = names.resolve(serving)
    const wildcard = deployments.find((id) => names.isWildcard(id))
    const message = `"${wildcard}" is any model that a caller names, and auto is given no name: list a model, as <provider>/<model>`
    if (wildcard !== undefined) serving[0]?.here.problem(message, "<provider>/<model> without *")
    return { name, deployments }
  }) ?? [{ name: ONLY_BUCKET, deployments: names.ids.filter((id) => !names.isWildcard(id)) }]

/** The shares of the reference prompts that the four usual buckets are made for; other numbers of buckets share evenly. */
const defaultCutPoints = (bucketCount: number): ReadonlyArray<number> =>
  bucketCount === 4
    ? [0.35, 0.65, 0.85]
    : Array.from({ length: bucketCount - 1 }, (_, index) => (index + 1) / bucketCount)
