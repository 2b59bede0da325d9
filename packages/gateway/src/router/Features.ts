/**
 * What the classifier looks at: some seventy numbers per prompt, made by hand from the counts of one scan. Each has a name in
 * plain words, because the names are what an operator reads when asking why a prompt was routed as it was.
 */
import type { Counts } from "./Counts.ts"
import { hashOf, type WordKind, wordKinds } from "./Lexicon.ts"
import { scan } from "./Scan.ts"

interface Feature {
  readonly name: string
  readonly of: (counts: Counts) => number
  /**
   * 1: may only raise the score, -1: may only lower it, absent: whatever training finds. Labels from exams that the strong model
   * fails too make code and maths look easy; nobody wants a router that believes it.
   */
  readonly sign?: 1 | -1
}

const marks = (counts: Counts, characters: string): number => {
  let sum = 0
  for (let i = 0; i < characters.length; i++) sum += counts.ascii[characters.charCodeAt(i)]!
  return sum
}

// Counts grow with the prompt; the square root of its words takes out most, not all, of that: ten code words are more than one.
const density = (counts: Counts, count: number): number => count / Math.sqrt(counts.words + 4)
const share = (part: number, whole: number): number => part / (whole + 1)

const words = (name: string, kind: WordKind): Feature => {
  const index = wordKinds.indexOf(kind)
  return { name, of: (counts) => density(counts, counts.kinds[index]!) }
}
const characters = (name: string, set: string): Feature => ({
  name,
  of: (counts) => density(counts, marks(counts, set))
})
const raises = (feature: Feature): Feature => ({ ...feature, sign: 1 })
const lowers = (feature: Feature): Feature => ({ ...feature, sign: -1 })
const yes = (condition: boolean): number => (condition ? 1 : 0)

const features: ReadonlyArray<Feature> = [
  raises({ name: "length", of: (c) => Math.log1p(c.length) }),
  raises({ name: "words", of: (c) => Math.log1p(c.words) }),
  lowers({ name: "few words", of: (c) => Math.exp(-c.words / 10) }),
  { name: "word length", of: (c) => (c.letters + 4.7 * 10) / (c.words + 10) },
  { name: "long words", of: (c) => c.longWords / (c.words + 10) },
  { name: "varied words", of: (c) => (c.distinctWords + 8) / (c.words + 10) },
  raises({ name: "sentences", of: (c) => Math.log1p(c.sentences) }),
  { name: "sentence length", of: (c) => Math.log1p(share(c.words, c.sentences)) },
  raises({ name: "lines", of: (c) => Math.log1p(c.lines) }),
  raises({ name: "indented lines", of: (c) => Math.log1p(c.indentedLines) }),
  raises({ name: "list items", of: (c) => Math.log1p(c.listLines) }),
  { name: "options", of: (c) => Math.log1p(c.optionLines) },
  { name: "length of options", of: (c) => Math.log1p(share(c.optionLength, c.optionLines)) },
  { name: "share of options", of: (c) => share(c.optionLength, c.read) },
  { name: "numeric options", of: (c) => share(c.numericOptions, c.optionLines) },
  { name: "names", of: (c) => density(c, c.capitalized) },
  { name: "capitals", of: (c) => density(c, c.allCaps) },
  raises({ name: "numbers", of: (c) => density(c, c.numbers) }),
  { name: "decimals", of: (c) => density(c, c.decimals) },
  { name: "large numbers", of: (c) => density(c, c.longNumbers) },
  { name: "years", of: (c) => density(c, c.years) },
  { name: "amounts of money", of: (c) => density(c, c.moneyMarks) },
  { name: "letters with digits", of: (c) => density(c, c.letterDigits) },
  raises(characters("operators", "+*/^=<>~|")),
  raises({ name: "LaTeX marks", of: (c) => density(c, marks(c, "\\$") - c.moneyMarks) }),
  raises({ name: "code marks", of: (c) => density(c, marks(c, "{};_`#@&") + 2 * c.doubledMarks) }),
  raises(characters("brackets", "()[]")),
  characters("quotes", '"'),
  characters("commas", ","),
  characters("colons", ":;"),
  characters("hyphens", "-"),
  characters("percent signs", "%"),
  characters("question marks", "?"),
  { name: "blanks to fill", of: (c) => yes(c.blanks > 0) },
  { name: "ends with a question mark", of: (c) => yes(c.last === 63) },
  { name: "ends with a full stop", of: (c) => yes(c.last === 46 || c.last === 33) },
  { name: "ends without a mark", of: (c) => yes(c.last === 97 || c.last === 48) },
  raises({ name: "Greek letters and maths signs", of: (c) => density(c, c.greekOrMaths) }),
  { name: "Chinese, Japanese or Korean", of: (c) => share(c.cjk, c.read) },
  { name: "other scripts and accents", of: (c) => share(c.otherLetters, c.read) },
  { name: "emoji", of: (c) => density(c, c.emoji) },
  lowers(words("greetings", "greeting")),
  words("which, who, when, where", "question"),
  words("why and how", "why"),
  raises(words("negation", "negation")),
  raises(words("conditions", "condition")),
  raises(words("logic words", "logic")),
  raises(words("step words", "step")),
  raises(words("constraints", "constraint")),
  words("quantifiers", "quantifier"),
  words("comparisons", "comparison"),
  words("amounts and rates", "arithmetic"),
  words("number words", "numberWord"),
  raises(words("maths words", "maths")),
  words("compute verbs", "compute"),
  raises(words("physics words", "physics")),
  raises(words("chemistry words", "chemistry")),
  raises(words("biology words", "biology")),
  raises(words("medicine words", "medicine")),
  raises(words("law words", "law")),
  raises(words("economy words", "money")),
  raises(words("humanities words", "humanities")),
  raises(words("programming keywords", "code")),
  raises(words("computing words", "computing")),
  raises(words("build verbs", "build")),
  words("explain verbs", "explain"),
  words("story words", "fiction"),
  words("choice words", "choice"),
  words("I and we", "self"),
  words("it, they, this, that", "other"),
  words("you", "you"),
  words("common words", "stop")
]

/** The names of the features, in the order of `extract`'s numbers. */
export const featureNames: ReadonlyArray<string> = features.map((feature) => feature.name)

/** Raised by hand whenever a feature of the same name counts something else. */
const VERSION = 2

/** Names the set: a model trained with another one doesn't fit. */
export const featureSet = `text-${VERSION}-${(hashOf(featureNames.join()) >>> 0).toString(16).padStart(8, "0")}`

/** Which way each feature may push the score: 1, -1, or 0 for either. */
export const featureSigns: ReadonlyArray<1 | -1 | 0> = features.map((feature) => feature.sign ?? 0)

/** The features of one prompt. Every number is finite, whatever the prompt. */
export const extract = (prompt: string): Float64Array => {
  const counts = scan(prompt)
  const values = new Float64Array(features.length)
  for (let i = 0; i < features.length; i++) values[i] = features[i]!.of(counts)
  return values
}
