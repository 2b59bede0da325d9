/**
 * `router`: the buckets behind `model: "auto"`.
 */
import { keepPrompts, type RouterSettings, builtinModels } from "../../core/domain/Settings.ts"
import type { Names } from "../Names.ts"
import { beside } from "../Paths.ts"
import { Fields, list, oneOrMore, record, type Here, type Reader } from "../Reader.ts"
import { decoded } from "../Decode.ts"
import { name, type Name } from "../Name.ts"
import { atMost, numberBetween, oneOf, text, yesOrNo } from "../Values.ts"
import { kindInWords } from "../tree/Tree.ts"

interface Bucket {
  readonly name: string
  readonly serving: ReadonlyArray<Name>
}

/** What the bucket header says of a request whose caller named the model. */
const NO_BUCKET = "none"
const SERVING = "deployment ids, aliases or <provider>/<model>"

const DEFAULT_SHIFT = 0.15
/** Half of the scale either way: more would leave nothing between the two. */
const LARGEST_SHIFT = 0.5

/** Without buckets, `auto` is all deployments as listed. A relative path of a model counts from the folder of `file`. */
export const readRouter = (here: Here, names: Names, file: string): RouterSettings => {
  const fields = new Fields(here, ["buckets", "cut_points", "prefer_shift", "model", "shadow", "keep_prompts"])
  const read = fields.get("buckets", buckets)
  const written = read?.map((bucket) => ({ name: bucket.name, deployments: names.resolve(bucket.serving) }))
  const all = written ?? [{ name: "standard", deployments: names.deployments.map((one) => one.id) }]
  const given = fields.get("cut_points", cutPoints(all.map((bucket) => bucket.name)))
  const model = fields.get("model", scoredBy(file))
  const keep = fields.get("keep_prompts", decoded(oneOf("what to keep of prompts", keepPrompts)))
  return {
    buckets: all,
    cutPoints: given ?? defaultCutPoints(all.length),
    preferShift: fields.get("prefer_shift", decoded(atMost(LARGEST_SHIFT))) ?? DEFAULT_SHIFT,
    model,
    shadow: fields.get("shadow", decoded(yesOrNo)) ?? false,
    ...(keep === undefined ? {} : { keepPrompts: keep })
  }
}

const MODEL = "the path of a model file, as `model-gateway router train` writes it"

/** A model that ships by its name, or a file. */
const scoredBy =
  (file: string): Reader<string> =>
  (here) => {
    const named = decoded(text(MODEL))(here)
    if (named === undefined) return undefined
    if (!named.startsWith("builtin@")) return beside(file, named)
    if (builtinModels.some((one) => one === named)) return named
    const known = builtinModels.join(", ")
    return here.problem(`no model "${named}" ships with this release; there are ${known}`, `one of ${known}`, named)
  }

const buckets: Reader<ReadonlyArray<Bucket>> = (here) => {
  if (here.node.kind === "table" && here.node.entries.length === 0) {
    return here.problem("there must be at least one bucket", "buckets, lowest first", "no bucket")
  }
  return record((bucket, serving, keyAt): Bucket => {
    if (bucket === NO_BUCKET || bucket === "") {
      const message = `${JSON.stringify(bucket)} can't be the name of a bucket: it stands for requests that name their model`
      serving.problem(message, "another name", JSON.stringify(bucket), keyAt)
    }
    return { name: bucket, serving: oneOrMore(SERVING, name(SERVING))(serving) ?? [] }
  })(here)
}

const cutPoints =
  (bucketNames: ReadonlyArray<string>): Reader<ReadonlyArray<number>> =>
  (here) => {
    const needed = bucketNames.length - 1
    const allowed = `${needed} ascending numbers between 0 and 1: one between each two buckets (${bucketNames.join(", ")})`
    if (here.node.kind !== "list") return here.expected(allowed, kindInWords(here.node))
    const count = here.node.items.length
    const found = count === 1 ? "1 cut point" : `${count} cut points`
    if (count !== needed) return here.problem(`${found} where there must be ${allowed}`, allowed, found)
    const points = list(allowed, decoded(numberBetween({ from: 0, to: 1 })), { mayBeEmpty: true })(here)
    const isAscending = points?.every((point, index) => index === 0 || point > points[index - 1]!)
    return isAscending ? points : here.problem("cut points must ascend", allowed, found)
  }

/** The shares of the reference prompts that the four usual buckets are made for; other numbers of buckets share evenly. */
const defaultCutPoints = (bucketCount: number): ReadonlyArray<number> =>
  bucketCount === 4
    ? [0.35, 0.65, 0.85]
    : Array.from({ length: bucketCount - 1 }, (_, index) => (index + 1) / bucketCount)
