/**
 * What is wrong with a configuration file. Problems are collected, not thrown: an operator sees all of them at once, each with
 * its place. Nothing in here may hold a secret: see `Here.ts` for which values are shown.
 */
import { Schema } from "effect"

/** Where a thing stands in the file, both counted from 1. Line 0: the file as a whole. */
export interface Position {
  readonly line: number
  readonly column: number
}

export const wholeFile: Position = { line: 0, column: 0 }

export class Problem extends Schema.Class<Problem>("gateway/config/Problem")({
  /** As it was named to the gateway, e.g. `gateway.yaml`. */
  file: Schema.String,
  line: Schema.Int,
  column: Schema.Int,
  /** e.g. `deployments[2].provider`; empty for the file as a whole. */
  path: Schema.String,
  /** What stands there, e.g. `"opnai"`, `a list`, `nothing`. Never a secret. */
  found: Schema.String,
  /** What may stand there, e.g. `openai, vllm` or `a whole number from 0 to 65535`. */
  allowed: Schema.String,
  /** A sentence that says both and, where there is one, the way out. */
  message: Schema.String
}) {
  /** `gateway.yaml:12:5 deployments[2].provider: "opnai" is not a provider of this file; …` */
  get text(): string {
    return `${placeInWords(this.file, this, this.path)}: ${this.message}`
  }
}

/** The file can't be used. `problems` holds everything that is wrong with it, in the order of the file. */
export class ConfigInvalid extends Schema.TaggedError<ConfigInvalid>()("ConfigInvalid", {
  problems: Schema.Array(Problem)
}) {
  /** One line per problem. */
  override get message(): string {
    return this.problems.map((problem) => problem.text).join("\n")
  }
}

export class Report {
  readonly file: string
  private readonly problems: Array<Problem> = []
  private readonly doubts: Array<Problem> = []

  constructor(file: string) {
    this.file = file
  }

  add(at: Position, path: string, said: Pick<Problem, "found" | "allowed" | "message">) {
    this.problems.push(Problem.make({ file: this.file, line: at.line, column: at.column, path, ...said }))
  }

  warn(at: Position, path: string, message: string) {
    const { column, line } = at
    this.doubts.push(Problem.make({ file: this.file, line, column, path, found: "", allowed: "", message }))
  }

  /** One sentence each, with its place, in the order of the file. */
  get warnings(): ReadonlyArray<string> {
    return this.doubts.toSorted(inOrder).map(({ text }) => text)
  }

  get isEmpty(): boolean {
    return this.problems.length === 0
  }

  invalid(): ConfigInvalid {
    return new ConfigInvalid({ problems: [...this.problems, ...this.doubts].toSorted(inOrder) })
  }
}

const inOrder = (a: Position, b: Position): number => a.line - b.line || a.column - b.column

/** `gateway.yaml:4:15 deployments[0]` */
export const placeInWords = (file: string, { column, line }: Position, path: string): string =>
  [line === 0 ? file : `${file}:${line}:${column}`, ...(path === "" ? [] : [path])].join(" ")
