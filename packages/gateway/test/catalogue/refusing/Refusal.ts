/** A fact: a request of this kind gets a 400 from its vendor. */
import type { Seen, Spoken } from "./Seen.ts"

export interface Refusal {
  readonly vendors: ReadonlyArray<string>
  /** Names, with `*` for any text. */
  readonly models: ReadonlyArray<string>
  readonly at: ReadonlyArray<Spoken>
  /** What is refused, for people. */
  readonly feature: string
  readonly isIn: (seen: Seen) => boolean
  /** The vendor's own words. */
  readonly says: (seen: Seen) => string
  readonly param?: string
  /** Where it was read, on 2026-11-27. */
  readonly sources: ReadonlyArray<string>
}

const matches = (glob: string, name: string): boolean => {
  const [start = "", ...rest] = glob.split("*")
  if (rest.length === 0) return glob === name
  if (!name.startsWith(start)) return false
  let at = start.length
  for (const piece of rest) {
    const found = piece === "" ? name.length : name.indexOf(piece, at)
    if (found < at) return false
    at = found + piece.length
  }
  return at === name.length || rest.at(-1) === ""
}

export const holdsFor = ({ at, models, vendors }: Refusal, { model, spoken, vendor }: Seen): boolean =>
  vendors.includes(vendor) && at.includes(spoken) && models.some((glob) => matches(glob, model))

export const names = (text: string): ReadonlyArray<string> => text.split(/\s+/).filter((name) => name !== "")

/** An effort was asked for that is none of these. */
export const effortBeyond =
  (...taken: ReadonlyArray<string>) =>
  ({ effort }: Seen): boolean =>
    effort !== undefined && !taken.includes(effort)

export const isForced = ({ choice }: Seen): boolean => choice === "any" || choice === "named"
