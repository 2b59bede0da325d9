/** An answer before it is written in a protocol, and what all protocols need to write it. */
import type { Loose, Seen } from "./Seen.ts"

export interface Reply {
  readonly contentType: string
  readonly body: string | Uint8Array
}

export const CREATED = 1_795_000_000
/** Tokens. */
export const USAGE = { input: 20, output: 10, cached: 0, reasoning: 0 }

export interface SaidCall {
  readonly id: string
  readonly name: string
  /** A text for a tool that takes any text. */
  readonly input: Loose | string
  /** Responses puts tools in namespaces. */
  readonly namespace?: string | undefined
}

/** What a model says: thoughts first, calls last. `sealed` is what the vendor alone can read, and wants back. */
export interface Said {
  /** Of the answer. */
  readonly id?: string
  readonly thought?: { readonly text: string; readonly sealed: string }
  readonly text: string | undefined
  readonly calls: ReadonlyArray<SaidCall>
}

/** Tokens. `input` holds the cached ones. */
export type Used = typeof USAGE

/** In the pieces that streams have. */
export const pieces = (text: string): ReadonlyArray<string> => text.match(/[^]{1,40}/g) ?? []

export const argumentsOf = ({ input }: SaidCall): string => (typeof input === "string" ? input : JSON.stringify(input))

export const json = (body: unknown): Reply => ({
  contentType: "application/json",
  body: typeof body === "string" ? body : JSON.stringify(body)
})

export type Writer = (seen: Seen, answer: Said, usage: Used) => Reply

export const events = (texts: ReadonlyArray<string>): Reply => ({
  contentType: "text/event-stream",
  body: texts.join("")
})
