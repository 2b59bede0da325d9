/**
 * A chat request as the caller sent it, with what the gateway itself needs to know of it. The body stays as it came: unknown
 * fields reach providers of the same protocol untouched.
 */
import type { MediaPart } from "../media/Contents.ts"
import type { Capability } from "../domain/Deployment.ts"
import type { JsonObject } from "../domain/Json.ts"

/** What is routed: what the router must know of a request, whatever endpoint it is for. */
export interface RoutedRequest {
  readonly body: JsonObject
  /** The `model` field as it came. */
  readonly model: string
  /** The text of the last user message: what `auto` classifies. */
  readonly prompt: string
  /** The last user message also holds what no classifier here reads: images, recordings, files, tokens. */
  readonly hasUnread: boolean
  /** Messages and items of the conversation as they came, the last user message among them; empty where there is none. */
  readonly history: ReadonlyArray<unknown>
  /** What a deployment must be able to do to serve this. */
  readonly needs: ReadonlyArray<Capability>
  /** A fair guess of the input tokens, for token limits and context windows. */
  readonly inputEstimate: number
  /** The caller's `max_completion_tokens`, else `max_tokens`; undefined when neither was given. */
  readonly maxOutput: number | undefined
  /** Answers asked for (`n`), at least 1. */
  readonly choices: number
}

/** The long strings of a large body, for protocols that pass them on as they came. */
export interface LongStrings {
  /** The body that this is of: one that was changed since is sent as it is now. */
  readonly whole: unknown
  /** The body with a short mark in the place of each. */
  readonly body: JsonObject
  /** JSON that holds the marks: with the strings in their places. */
  readonly splice: (json: string) => Uint8Array
}

export interface ChatRequest extends RoutedRequest {
  /** Only of a large body. */
  readonly long?: LongStrings
  readonly stream: boolean
  /** The caller asked for the usage chunk (`stream_options.include_usage`). */
  readonly includeUsage: boolean
  /** No tokenizer can count more tokens of its text, and of what an API adds to it. */
  readonly textBound: number
  /** A fair guess of the tokens of what is no text. */
  readonly mediaEstimate: number
  /** What it holds besides text. */
  readonly media: ReadonlyArray<MediaPart>
}
