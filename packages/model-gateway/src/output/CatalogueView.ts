/** Models and changes of the catalogue, for people at a terminal. */
import type { CatalogueChange } from "../catalogue/Compare.ts"
import type { Catalogue, FoundModel } from "@model-gateway/gateway/internal/providers/catalogue/facts/CatalogueInForce"
import type { Learnt, Model, Usds } from "@model-gateway/gateway/internal/core/domain/models/CatalogueFormat"
import { pairs } from "./Table.ts"

const MARKS = { new: "+", gone: "-", tighter: "↑", looser: "↓", other: "~" } as const

export const changesAsText = (changes: ReadonlyArray<CatalogueChange>): string =>
  changes.length === 0
    ? "nothing differs"
    : changes.map(({ kind, model, what }) => `${MARKS[kind]} ${model}  ${what}`).join("\n")

/** `name`: `vendor/id`. */
export const modelAsText = (name: string, found: FoundModel, { versionOf }: Catalogue): string => {
  const { facts, learnt, model, resold } = found
  const { how: _how, key: _key, rules = [], shutdown: _shutdown, ...others } = facts
  const priced: Partial<Model> = resold?.priced === false ? {} : (model ?? {})
  const plain = Object.entries(others).map(([fact, value]) => [fact, inWords(value)] as const)
  return pairs([
    ["name", facts.key === undefined || facts.key === name ? name : `${name}, which is ${facts.key}`],
    ["catalogue", versionOf(found)],
    ...plain,
    ...rules.map((rule) => ["rule", inWords(rule)] as const),
    ...(priced.prices ?? []).flatMap(({ above = [], from, usd }) => [
      ["price", `${usdInWords(usd)}${from === undefined ? "" : ` from ${from}`}`] as const,
      ...above.map((step) => ["price", `above ${step.tokens}: ${usdInWords(step.usd)}`] as const)
    ]),
    ...Object.entries(resold === undefined ? (priced.tiers ?? {}) : (resold.tiers ?? {})).map(
      ([tier, price]) => ["tier", `${tier} ${price === null ? "not offered" : inWords(price)}`] as const
    ),
    ...Object.entries(priced.fees ?? {}).map(([fee, usd]) => ["fee", `${fee} ${usd} USD per 1,000 calls`] as const),
    ...(model?.shutdown === undefined ? [] : [["shutdown", inWords(model.shutdown)] as const]),
    ...(model?.disputed ?? []).map((one) => ["disputed", one] as const),
    ...(model?.notes ?? []).map((one) => ["note", one] as const),
    ...Object.entries(model?.sources ?? {}).map(([fact, urls]) => ["source", `${fact}: ${urls.join(", ")}`] as const),
    ...(model?.read === undefined ? [] : [["read", model.read] as const]),
    ...(learnt === undefined ? [] : learntLines(learnt))
  ])
}

/** With what the vendor responded. */
const learntLines = ({ read = "", sources = {}, ...facts }: Learnt): ReadonlyArray<readonly [string, string]> => [
  ["learnt", `${inWords(facts)} (${read})`],
  ...Object.entries(sources).map(([call, said]) => ["source", `learnt by ${call}: ${said.join(" ")}`] as const)
]

const usdInWords = (usd: Usds): string =>
  Object.entries(usd)
    .map(([name, price]) => `${name} ${price}`)
    .join(" · ")

const inWords = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(inWords).join(", ")
  if (typeof value !== "object" || value === null) return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${name} ${Array.isArray(part) ? `[${inWords(part)}]` : inWords(part)}`)
    .join("; ")
}
