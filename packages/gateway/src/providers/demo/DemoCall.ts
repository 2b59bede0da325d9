/** A call of the demo vendor and its answer, whatever was asked for. */
import type { Result } from "effect"
import type { VendorError } from "./VendorErrors.ts"

export interface DemoCall {
  /** After the base URL, e.g. `/chat/completions`. */
  readonly path: string
  readonly body: string
  /** The same undecoded, and what it is: for forms. */
  readonly bytes?: Uint8Array
  readonly contentType?: string | undefined
  /** Epoch seconds. */
  readonly created: number
  /** How many calls came before this one: no two answers have the same id, not even to the same request. Default 0. */
  readonly serial?: number
  /** How often this prompt was sent to this model before; `flaky-N` fails by it. */
  readonly before: (model: string, prompt: string) => number
}

/** `tokens`: how much of the output the piece carries, for those who pace it. */
export interface DemoPiece {
  readonly bytes: Uint8Array
  readonly tokens: number
}

export interface DemoAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  /** The body: in one piece, or one event of a stream a piece. */
  readonly pieces: ReadonlyArray<DemoPiece>
  /** Milliseconds to wait before the head; `Infinity`: for ever. */
  readonly delay: number
  /** The connection breaks after the last piece. */
  readonly cut: boolean
}

export type DemoEndpoint = (call: DemoCall) => Result.Result<DemoAnswer, VendorError>
