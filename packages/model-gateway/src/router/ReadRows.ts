/** Reads an outcomes file of any size, a line at a time; keeps of the prompts only what the command needs. */
import { Console, Effect, FileSystem, Stream } from "effect"
import { seededRandom } from "@model-gateway/router-lab/SeededRandom"
import { featureSet } from "@model-gateway/gateway/internal/classifier/features/PromptFeatures"
import {
  describeProblem,
  type OutcomeProblem,
  type OutcomeRow,
  readOutcomeLine
} from "@model-gateway/router-lab/training/Outcomes"
import { CommandFailed } from "../Failure.ts"
import { count, percent } from "../output/TextOutput.ts"

/** Bytes. A prompt of a million tokens has some 4 MB. */
const LONGEST_LINE = 16 * 1024 * 1024
/** Of more rows a fair sample is taken: they would take long and change little. */
const MOST_ROWS = 10_000
const PROBLEMS_SHOWN = 20
/** A line on stderr each so many rows. */
const PROGRESS = 20_000
const LF = 10

interface RowsRead<Kept> {
  readonly rows: ReadonlyArray<Kept>
  /** Rows in the file. */
  readonly total: number
  /** Rows with a graded outcome and a prompt, of which `rows` may be a sample. */
  readonly useful: number
}

export interface Reading<Kept> {
  /** Chooses the sample where there are too many rows. */
  readonly seed: number
  /** The part of a row to keep. */
  readonly keep: (row: OutcomeRow) => Kept
  /** What becomes of a file with mistakes: `can't be learnt from`. */
  readonly refusal: string
}

/** All rows of `file`, or what is wrong with it. */
export const readRows = Effect.fnUntraced(function* <Kept>(file: string, { keep, refusal, seed }: Reading<Kept>) {
  const fileSystem = yield* FileSystem.FileSystem
  const info = yield* fileSystem.stat(file).pipe(Effect.mapError((error) => failed(file, error.reason)))
  if (info.type === "Directory") {
    return yield* new CommandFailed({ message: `${file} is a folder; give a file of outcomes, one JSON object a line` })
  }
  const size = Number(info.size)
  const reader = new Reader(seed, keep)
  yield* fileSystem.stream(file).pipe(
    Stream.mapError((error) => failed(file, error.reason)),
    Stream.runForEach((bytes) =>
      Effect.suspend(() => {
        const before = reader.total
        const wrong = reader.take(bytes)
        if (wrong !== undefined) return new CommandFailed({ message: `${file}: ${wrong}` })
        const isDue = Math.floor(reader.total / PROGRESS) > Math.floor(before / PROGRESS)
        if (!isDue) return Effect.void
        return Console.error(`read ${count(reader.total)} rows${size > 0 ? `, ${percent(reader.bytes / size)}` : ""} …`)
      })
    )
  )
  reader.end()
  if (reader.outdated > 0) yield* Console.error(outdatedOf(file, reader))
  if (reader.faults > 0) return yield* new CommandFailed({ message: problemsOf(`${file} ${refusal}`, reader) })
  if (reader.total === 0) {
    return yield* new CommandFailed({
      message: `${file} has no rows; each line must be one JSON object with \`prompt\` and \`outcomes\``
    })
  }
  return { rows: reader.rows, total: reader.total, useful: reader.useful } satisfies RowsRead<Kept>
})

/** Cuts bytes into lines and reads them. Counts every fault and keeps the first few. */
class Reader<Kept> {
  readonly rows: Array<Kept> = []
  readonly problems: Array<OutcomeProblem> = []
  /** Of problems; of rows, good or bad; of those that something can be learnt from; of lines; of bytes. */
  faults = 0
  /** Of rows with nothing but features that another release counted, and what it calls them. */
  outdated = 0
  outdatedSet = ""
  total = 0
  useful = 0
  lines = 0
  bytes = 0
  readonly #random: () => number
  readonly #keep: (row: OutcomeRow) => Kept
  readonly #pieces: Array<Uint8Array> = []
  #held = 0

  constructor(seed: number, keep: (row: OutcomeRow) => Kept) {
    this.#random = seededRandom(seed)
    this.#keep = keep
  }

  /** A sentence when it makes no sense to read on. */
  take(bytes: Uint8Array): string | undefined {
    if (this.bytes === 0 && bytes[0] === 0x1f && bytes[1] === 0x8b) return "is packed with gzip; unpack it first"
    if (bytes.includes(0))
      return `line ${this.lines + 1} holds binary data; an outcomes file is text, one JSON object a line`
    this.bytes += bytes.length
    let from = 0
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, from)) {
      this.#hold(bytes.subarray(from, at))
      if (this.#held > LONGEST_LINE) return this.#tooLong()
      this.#line()
      from = at + 1
    }
    this.#hold(bytes.subarray(from))
    return this.#held > LONGEST_LINE ? this.#tooLong() : undefined
  }

  end(): void {
    this.#line()
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#pieces.push(bytes)
    this.#held += bytes.length
  }

  #tooLong(): string {
    return `line ${this.lines + 1} is longer than ${LONGEST_LINE / 1024 / 1024} MB; each row must be a line of its own`
  }

  #line(): void {
    this.lines++
    const raw = Buffer.concat(this.#pieces).toString()
    this.#pieces.length = 0
    this.#held = 0
    const text = this.lines === 1 ? raw.replace(/^\uFEFF/, "") : raw
    if (text.trim() === "") return
    this.total++
    const read = readOutcomeLine(text, this.lines)
    if ("problems" in read) {
      this.faults += read.problems.length
      this.problems.push(...read.problems.slice(0, PROBLEMS_SHOWN - this.problems.length))
      return
    }
    if (read.row === undefined) {
      if (read.counted === undefined) return
      this.outdated++
      this.outdatedSet = read.counted
      return
    }
    this.useful++
    if (this.rows.length < MOST_ROWS) {
      this.rows.push(this.#keep(read.row))
    } else {
      // Every row of the file has the same chance to be among those kept.
      const place = Math.floor(this.#random() * this.useful)
      if (place < MOST_ROWS) this.rows[place] = this.#keep(read.row)
    }
  }
}

const outdatedOf = (file: string, { outdated, outdatedSet, total }: Reader<unknown>): string =>
  `${file}: ${count(outdated)} of ${count(total)} rows ${outdated === 1 ? "has" : "have"} no prompt, and features that another release counted ("${outdatedSet}", this one: "${featureSet}"): left out. They can't be counted anew; decisions since the upgrade have the new ones, and with \`router.keep_prompts: text\` rows stay good for every release.`

const problemsOf = (refused: string, { faults, problems }: Reader<unknown>): string => {
  const more = faults - problems.length
  return [
    `${refused}: ${count(faults)} ${faults === 1 ? "problem" : "problems"}.`,
    ...problems.map((problem) => `  ${describeProblem(problem)}`),
    ...(more === 0 ? [] : [`  and ${count(more)} more`])
  ].join("\n")
}

const failed = (file: string, reason: { readonly _tag: string; readonly message: string }): CommandFailed => {
  switch (reason._tag) {
    case "NotFound":
      return new CommandFailed({
        message: `${file}: no such file; \`model-gateway router export\` writes one from what the gateway has seen`
      })
    case "PermissionDenied":
      return new CommandFailed({ message: `${file} can't be read: no permission` })
    default:
      return new CommandFailed({ message: `${file} can't be read: ${reason.message}` })
  }
}
