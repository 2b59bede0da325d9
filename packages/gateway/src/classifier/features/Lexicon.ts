/** The words the features count, by kind and found by hash. A word is written as the scanner sees it: lower case, without apostrophes. */
import { isAccented, lowerOther, wordsIn } from "../text/Characters.ts"
import lexicon from "./lexicon.json" with { type: "json" }

/** 1: until November 2026. 2: Chinese, Japanese and Korean counted as long as they are, more words, years no quantities, material known by its shape. */
export type Edition = 1 | 2

export const LATEST: Edition = 2

type WordLists = Partial<Readonly<Record<WordKind, ReadonlyArray<string>>>>

export type WordKind = keyof typeof lexicon.words | keyof typeof lexicon.addedKinds

export const wordKinds = [...Object.keys(lexicon.words), ...Object.keys(lexicon.addedKinds)] as ReadonlyArray<WordKind>

/** The English words of a kind of the first edition, all words of one that the second added. */
export const wordsOf = (kind: WordKind): ReadonlyArray<string> => wordsIn(words[kind] ?? added[kind] ?? [])

/** Start value and step of the word hash (FNV-1a over the letters); the scanner computes it while it reads a word. */
export const HASH_START = -2128831035
export const hashStep = (hash: number, letter: number): number => Math.imul(hash ^ letter, 16777619)

/** Of a word as the scanner reads it: it passes over the accented letters of Latin words. */
export const hashOf = (word: string): number => {
  let hash = HASH_START
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    if (!isAccented(code)) hash = hashStep(hash, lowerOther(code))
  }
  return hash
}

/** Of two words in a row, by their hashes. The lexicon writes them with `_` between. */
export const hashOfPair = (first: number, second: number): number => Math.imul(first, 31) ^ second

// An open-addressed table in two typed arrays, at most a third full: no allocation and about one probe per look-up.
export const SLOTS = 8192
const slotHash = new Int32Array(SLOTS)
const slotKind = new Int8Array(SLOTS).fill(-1)
/** As the second edition has it. */
const laterKind = new Int8Array(SLOTS)
/** The first edition that knows the word. */
const slotSince = new Uint8Array(SLOTS)

const enter = (words: ReadonlyArray<string> | undefined, kind: number, since: Edition): void => {
  for (const word of wordsIn(words ?? [])) {
    const [first, second] = word.split("_")
    const hash = second === undefined ? hashOf(word) : hashOfPair(hashOf(first!), hashOf(second))
    let slot = hash & (SLOTS - 1)
    while (slotKind[slot] !== -1 && slotHash[slot] !== hash) slot = (slot + 1) & (SLOTS - 1)
    if (slotKind[slot] !== -1) {
      if (since > slotSince[slot]!) laterKind[slot] = kind
      continue
    }
    slotHash[slot] = hash
    slotKind[slot] = laterKind[slot] = kind
    slotSince[slot] = since
  }
}
const words: WordLists = lexicon.words
const abroad: WordLists = lexicon.elsewhere
const added: WordLists = { ...lexicon.addedWords, ...lexicon.addedKinds }
// English first: where a word of another language is spelt like an English one, that one keeps it.
for (const [kind, name] of wordKinds.entries()) enter(words[name], kind, 1)
for (const [kind, name] of wordKinds.entries()) enter(abroad[name], kind, 1)
for (const [kind, name] of wordKinds.entries()) enter(added[name], kind, 2)

/** Where the lexicon keeps the word with this hash, -1 when no list of this edition has it. */
export const slotOfHash = (hash: number, edition: Edition = LATEST): number => {
  let slot = hash & (SLOTS - 1)
  while (slotKind[slot] !== -1 && slotHash[slot] !== hash) slot = (slot + 1) & (SLOTS - 1)
  return slotKind[slot] === -1 || slotSince[slot]! > edition ? -1 : slot
}

export const kindOfSlot = (slot: number, edition: Edition = LATEST): number =>
  (edition === 1 ? slotKind : laterKind)[slot]!
