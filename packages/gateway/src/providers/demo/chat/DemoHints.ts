/**
 * What a prompt offers for filling in: its numbers and its names. "What is 23 times 7?" makes a calculator's arguments 23 and 7,
 * "the weather in San Francisco" makes a city.
 */

/** A prompt is looked at this far. */
const CHARACTERS = 4_000
const NUMBER = /(?<![\p{L}\p{N}_.-])-?\d{1,15}(?:\.\d{1,9})?(?![\p{L}\p{N}_])/gu
/** An apostrophe within or behind a word quotes nothing. */
const QUOTED = /"([^"\n]{1,80})"|“([^”\n]{1,80})”|(?<![\p{L}\p{N}])'([^'\n]{1,80})'(?![\p{L}\p{N}])/gu
/** Capitalized words inside a sentence. */
const NAME = /(?<=[\p{Ll}\p{N},;:]\s)\p{Lu}[\p{L}\p{N}'’-]{1,40}(?:\s\p{Lu}[\p{L}\p{N}'’-]{1,40}){0,4}/gu

export class DemoHints {
  private readonly text: string
  private readonly numbers: Array<number>
  private readonly phrases: Array<string>

  /** `ignored`: words that are no values, the names of the tools. */
  constructor(prompt: string, ignored: ReadonlyArray<string> = []) {
    const text = prompt.slice(0, CHARACTERS)
    const quoted = [...text.matchAll(QUOTED)].map((match) => match[1] ?? match[2] ?? match[3] ?? "")
    this.text = text.toLowerCase()
    this.numbers = (text.match(NUMBER) ?? []).map(Number)
    this.phrases = [...quoted, ...(text.match(NAME) ?? [])].filter((phrase) => !ignored.includes(phrase))
  }

  /** The next number that will do; each is given out once. */
  number(fits: (value: number) => boolean): number | undefined {
    return takeFirst(this.numbers, fits)
  }

  /** The first of the values that the prompt speaks of, in any case of letters. */
  mentioned(values: ReadonlyArray<unknown>): string | undefined {
    const value = values.find(
      (one) => typeof one === "string" && one.length > 1 && this.text.includes(one.toLowerCase())
    )
    if (typeof value !== "string") return undefined
    this.phrase((phrase) => phrase.toLowerCase() === value.toLowerCase())
    return value
  }

  /** Names that were quoted: "JSON with 'setup' and 'punchline' keys". */
  names(): ReadonlyArray<string> {
    return this.phrases.filter((phrase) => /^[a-z_][a-zA-Z0-9_]*$/.test(phrase))
  }

  /** The next phrase that will do; each is given out once. */
  phrase(fits: (value: string) => boolean): string | undefined {
    return takeFirst(this.phrases, fits)
  }
}

const takeFirst = <A>(values: Array<A>, fits: (value: A) => boolean): A | undefined => {
  const index = values.findIndex(fits)
  return index < 0 ? undefined : values.splice(index, 1)[0]
}
