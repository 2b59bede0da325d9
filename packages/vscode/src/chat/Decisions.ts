/** What was decided for the calls of this window: the last ones, and a line for each in the output channel. */
import type { Decision } from "@model-gateway/client"
import type { Editor } from "../editor/Editor.ts"
import { costText } from "../spend/Money.ts"

export interface Made {
  /** The gateway's name. */
  readonly gateway: string
  readonly url: string
  /** What was asked for. */
  readonly model: string
  readonly decision: Decision
  readonly milliseconds: number
}

export class Decisions {
  readonly #editor: Editor
  readonly #listeners = new Set<() => void>()
  readonly #last = new Map<string, Made>()
  #latest: Made | undefined

  constructor(editor: Editor) {
    this.#editor = editor
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** The last one, of one gateway or of all. */
  last(gateway?: string): Made | undefined {
    return gateway === undefined ? this.#latest : this.#last.get(gateway)
  }

  made(one: Made): void {
    this.#keep(one)
    this.#editor.log(lineOf(one))
    this.#told()
  }

  /** `one`: where it failed after somebody had begun to answer. */
  failed(gateway: string, model: string, text: string, one?: Made): void {
    if (one !== undefined) this.#keep(one)
    this.#editor.log(`${one === undefined ? `${gateway}  ${model}` : lineOf(one)}  FAILED  ${text}`)
    this.#told()
  }

  /** `one`: where it was left after somebody had begun to answer. */
  left(gateway: string, model: string, one?: Made): void {
    if (one !== undefined) this.#keep(one)
    this.#editor.log(`${one === undefined ? `${gateway}  ${model}` : lineOf(one)}  STOPPED`)
    this.#told()
  }

  #keep(one: Made): void {
    this.#latest = one
    this.#last.set(one.gateway, one)
  }

  #told(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** `work  auto → openai/gpt-5-mini  simple 0.18  $0.0012  1 retry  812 ms  rcpt_…` */
const lineOf = ({ decision, gateway, milliseconds, model }: Made): string => {
  const { bucket, costIsFinal, costUsd, receiptId, retries, score } = decision
  return [
    gateway,
    `${model} → ${decision.decision}`,
    ...(bucket === "none" ? [] : [`${bucket} ${score.toFixed(2)}`]),
    costIsFinal ? costText(costUsd) : `at most ${costText(costUsd)}`,
    ...(retries === 0 ? [] : [`${retries} ${retries === 1 ? "retry" : "retries"}`]),
    `${milliseconds} ms`,
    ...(receiptId === null ? [] : [receiptId])
  ].join("  ")
}
