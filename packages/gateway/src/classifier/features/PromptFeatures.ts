/** Some ninety numbers per prompt, from the counts of one scan. Operators read their names when they ask why a prompt was routed. */
import type { PromptCounts } from "./Counts.ts"
import { type Edition, LATEST, hashOf, type WordKind, wordKinds } from "./Lexicon.ts"
import { DENSER } from "./Given.ts"
import { LEAST_MATERIAL } from "./Material.ts"
import { type AskedParts, askedIn, scan } from "./PromptScan.ts"

interface PromptFeature {
  readonly name: string
  readonly of: (counts: PromptCounts) => number
  /** 1: may only raise the score, -1: may only lower it. Left out: training decides, on labels that are mostly exams. */
  readonly sign?: 1 | -1
  /** Added to the weight that training finds, in ranks for each deviation: proofs and design are hardly in any labelled source. */
  readonly expected?: number
  /** How somebody types, not what is asked: no weight of its own in the model that ships. Trees know it beside other features. */
  readonly isManner?: true
  /** What counts as one deviation from 0, where the labelled sources hardly ever say such things: by theirs, a little would be all. */
  readonly scale?: number
}

const marks = (counts: PromptCounts, characters: string): number => {
  let sum = 0
  for (let i = 0; i < characters.length; i++) sum += counts.ascii[characters.charCodeAt(i)]!
  return sum
}

// Counts grow with the prompt; the square root of its words takes out most, not all, of that: ten code words are more than one.
const density = (counts: PromptCounts, count: number): number => count / Math.sqrt(counts.words + 4)
const share = (part: number, whole: number): number => part / (whole + 1)
// The same few words over and over are no long prompt: in prose and code a different word comes at least every thirty characters.
const unrepeated = (counts: PromptCounts, characters: number): number =>
  Math.min(characters, 30 * (counts.distinctWords + counts.distinctNumbers + 1))

/** Mostly the same lines again: what they say is no request, whoever wrote it. */
const isPadded = (counts: PromptCounts): boolean => counts.repeated > 3 * counts.visible

/** Of what is to be read, in Latin characters. What asks about it tells its script. */
const lengthOfGiven = (counts: PromptCounts): number => counts.given * (3 * counts.cjk > counts.read ? DENSER : 1)

const kind = (name: WordKind): number => wordKinds.indexOf(name)
const words = (name: string, of: WordKind): PromptFeature => {
  const index = kind(of)
  return { name, of: (counts) => density(counts, counts.kinds[index]!) }
}
/** Whether it is said at all, in few words and not in an exam: the longer a request is, the more else there is to go by. */
const says = (name: string, of: WordKind): PromptFeature => {
  const index = kind(of)
  return { name, scale: RARE, of: (c) => (c.kinds[index]! > 0 && c.options === 0 ? Math.exp(-c.words / SHORT) : 0) }
}
/** … and not of code, where such words mean something else. */
const saysInProse = (name: string, of: WordKind): PromptFeature => {
  const said = says(name, of)
  return { ...said, of: (c) => (c.kinds[computing]! > 0 ? 0 : said.of(c)) }
}
/** Words. */
const SHORT = 60
const RARE = 0.4
const computing = kind("computing")
const characters = (name: string, set: string): PromptFeature => ({
  name,
  of: (counts) => density(counts, marks(counts, set))
})
const yes = (condition: boolean): number => (condition ? 1 : 0)
const raises = (feature: PromptFeature, expected = 0): PromptFeature => ({ ...feature, sign: 1, expected })
const lowers = (feature: PromptFeature): PromptFeature => ({ ...feature, sign: -1 })
const manner = (feature: PromptFeature): PromptFeature => ({ ...feature, isManner: true })

const numberWord = kind("numberWord")
const proof = kind("proof")
const argue = kind("argue")
const maths = kind("maths")
/** A derivation in mathematics is a proof; to demonstrate how a program works is none. */
const proofs = (c: PromptCounts): number =>
  c.kinds[proof]! + (c.kinds[maths]! > 0 && !(c.kinds[computing]! > 0) ? c.kinds[argue]! : 0)
const quantities = (c: PromptCounts): number => c.distinctNumbers + c.kinds[numberWord]! / 2
/** What a step of a solution is made of. */
const steps = ["arithmetic", "comparison", "condition", "step", "quantifier"].map((name) => kind(name as WordKind))

const arithmetic = kind("arithmetic")
/**
 * How much longer than usual a word problem is: in prose with amounts and without formulas, what is longer has more steps. 0 for what
 * is none, and what may be one counts in part.
 */
const lengthOfProblem = (c: PromptCounts): number => {
  const isProblem =
    Math.min(1, quantities(c) / 3) *
    Math.min(1, c.kinds[arithmetic]! / 2) *
    Math.exp(-2 * density(c, marks(c, "\\$") - c.moneyMarks + c.singleLetters))
  return isProblem * (Math.log1p(unrepeated(c, c.visible - c.quoted) / 5) - USUAL_PROBLEM)
}
/** Some 180 characters. */
const USUAL_PROBLEM = 3.6
/** A fifth longer or shorter is one deviation. */
const PROBLEM_SCALE = 0.2

const features: ReadonlyArray<PromptFeature> = [
  raises({ name: "different words", of: (c) => Math.log1p(c.distinctWords) }, 0.02),
  raises({ name: "length", of: (c) => Math.log1p((unrepeated(c, c.visible) + c.optionVisible) / 5) }),
  raises({
    name: "length of the question",
    of: (c) => Math.log1p(unrepeated(c, c.visible - c.quoted) / 5)
  }),
  lowers({ name: "few words", of: (c) => Math.exp(-c.words / 10) }),
  raises({ name: "word length", of: (c) => (c.letters + 4.7 * 10) / (c.words + 10) }),
  raises({ name: "long words", of: (c) => c.longWords / (c.words + 10) }),
  raises({ name: "sentences", of: (c) => Math.log1p(c.sentences) }),
  raises({ name: "sentence length", of: (c) => Math.log1p(share(c.words, c.sentences)) }),
  raises({ name: "longest sentence", of: (c) => Math.log1p(c.longestSentence) }),
  raises({ name: "lines", of: (c) => Math.log1p(c.lines) }),
  raises({ name: "indented lines", of: (c) => Math.log1p(c.indentedLines) }),
  raises({ name: "list items", of: (c) => Math.log1p(c.listLines) }),
  raises({ name: "options", of: (c) => Math.log1p(c.options) }),
  raises({ name: "length of options", of: (c) => Math.log1p(share(c.optionWords, c.options)) }),
  raises({ name: "options with numbers", of: (c) => share(c.numericOptions, c.options) }),
  { name: "quoted text", of: (c) => Math.log1p(c.quoted / 5) },
  manner(raises({ name: "names", of: (c) => density(c, c.capitalized) })),
  manner(raises({ name: "capitals", of: (c) => density(c, c.allCaps) })),
  raises({ name: "variables", of: (c) => density(c, c.singleLetters) }),
  raises({ name: "numbers", of: (c) => Math.log1p(c.numbers) }),
  { name: "density of numbers", of: (c) => density(c, c.numbers) },
  raises({ name: "quantities", of: (c) => Math.log1p(quantities(c)) }),
  raises({
    name: "steps of a solution",
    of: (c) => Math.log1p(quantities(c) * 0.5 + steps.reduce((sum, index) => sum + c.kinds[index]!, 0))
  }),
  raises({ name: "decimals", of: (c) => density(c, c.decimals) }),
  raises({ name: "large numbers", of: (c) => density(c, c.longNumbers) }),
  lowers({ name: "years", of: (c) => density(c, c.years) }),
  raises({ name: "amounts of money", of: (c) => density(c, c.moneyMarks) }),
  raises({ name: "letters with digits", of: (c) => density(c, c.letterDigits) }),
  raises(characters("operators", "+*/^=<>~|")),
  raises({ name: "LaTeX marks", of: (c) => density(c, marks(c, "\\$") - c.moneyMarks) }),
  raises({ name: "code marks", of: (c) => density(c, marks(c, "{};_`#@&") + 2 * c.doubledMarks) }),
  raises(characters("brackets", "()[]")),
  characters("quotes", '"'),
  raises(characters("commas", ",")),
  raises(characters("colons", ":;")),
  manner(raises(characters("hyphens", "-"))),
  raises(characters("percent signs", "%")),
  characters("question marks", "?"),
  { name: "blanks to fill", of: (c) => yes(c.blanks > 0) },
  raises({ name: "Greek letters and maths signs", of: (c) => density(c, c.greekOrMaths) }),
  // What the English labels teach about words says nothing about theirs.
  { name: "Chinese, Japanese or Korean", of: (c) => share(c.cjk, c.read), expected: 0.03, scale: RARE },
  { name: "other scripts", of: (c) => share(c.otherLetters, c.read) },
  { name: "emoji", of: (c) => density(c, c.emoji) },
  lowers(words("greetings", "greeting")),
  lowers(words("which, who, when, where", "question")),
  raises(words("why and how", "why"), 0.02),
  raises(words("negation", "negation")),
  raises(words("conditions", "condition")),
  raises(words("logic words", "logic")),
  raises(words("step words", "step")),
  raises(words("constraints", "constraint")),
  raises(words("quantifiers", "quantifier")),
  raises(words("comparisons", "comparison")),
  raises(words("amounts and rates", "arithmetic")),
  raises(words("units", "unit")),
  raises(words("number words", "numberWord")),
  raises({ name: "proof words", of: (c) => (isPadded(c) ? 0 : Math.log1p(proofs(c))) }, 0.29),
  raises(words("maths words", "maths")),
  raises(words("compute verbs", "compute")),
  raises(words("physics words", "physics")),
  raises(words("chemistry words", "chemistry")),
  raises(words("biology words", "biology")),
  raises(words("medicine words", "medicine")),
  raises(words("law words", "law")),
  raises(words("economy words", "money")),
  raises(words("humanities words", "humanities")),
  raises(words("programming keywords", "code")),
  raises(words("computing words", "computing"), 0.023),
  raises(words("design words", "design"), 0.016),
  raises(words("build verbs", "build"), 0.016),
  raises(words("explain verbs", "explain")),
  raises(words("story words", "fiction")),
  manner(words("I and we", "self")),
  manner(words("it, they, this, that", "other")),
  manner(words("you", "you")),
  // From here on, of the second edition.
  raises(saysInProse("puzzles and riddles", "puzzle"), 0.12),
  raises(says("design requests", "task"), 0.1),
  raises(saysInProse("limits on the answer", "limit"), 0.12),
  { ...raises({ name: "length of a word problem", of: lengthOfProblem }), scale: PROBLEM_SCALE },
  {
    ...lowers({ name: "material to read", of: (c) => yes(lengthOfGiven(c) >= LEAST_MATERIAL) }),
    scale: RARE,
    expected: -0.08
  }
]
const OF_THE_FIRST = features.length - 5

export const featureNames: ReadonlyArray<string> = features.map((feature) => feature.name)

/** Of an edition: each has those of the one before, in the same order. */
export const namesOf = (edition: Edition): ReadonlyArray<string> =>
  edition === 1 ? featureNames.slice(0, OF_THE_FIRST) : featureNames

/** Raised by hand whenever a feature of the same name counts something else. */
const versions: Readonly<Record<Edition, number>> = { 1: 4, 2: 5 }

const setOf = (edition: Edition): string =>
  `text-${versions[edition]}-${(hashOf(namesOf(edition).join()) >>> 0).toString(16).padStart(8, "0")}`

/** Names the set: a model trained with another one doesn't fit. */
export const featureSet = setOf(LATEST)

const editions = new Map<unknown, Edition>([
  [setOf(1), 1],
  [setOf(2), 2]
])
/** The edition that counts this set; undefined: none does. */
export const editionOf = (set: unknown): Edition | undefined => editions.get(set)

/** Which way each feature may push the score: 1, -1, or 0 for either. */
export const featureSigns: ReadonlyArray<1 | -1 | 0> = features.map((feature) => feature.sign ?? 0)
/** Of each feature, `isManner`. */
export const featureManners: ReadonlyArray<boolean> = features.map((feature) => feature.isManner === true)

/** Of each feature, `expected`. */
export const featureExpectations: ReadonlyArray<number> = features.map((feature) => feature.expected ?? 0)

/** Of each feature, `scale`; 0: what the sources say. */
export const featureScales: ReadonlyArray<number> = features.map((feature) => feature.scale ?? 0)

const wholeLength = featureNames.indexOf("length")
/** Whether the prompt with these features has nothing in it but white space and courtesies. */
export const asksNothing = (values: Float64Array): boolean => values[wholeLength] === 0

export const extract = (
  prompt: string,
  edition: Edition = LATEST,
  asked: AskedParts = askedIn(prompt, edition)
): Float64Array => {
  const counts = scan(prompt, edition, asked)
  const values = new Float64Array(edition === 1 ? OF_THE_FIRST : features.length)
  for (let i = 0; i < values.length; i++) values[i] = features[i]!.of(counts)
  return values
}
