/**
 * A chat request as the caller sent it, plus what the gateway needs to know about it. The body is left unchanged, so that unknown
 * fields reach providers of the same protocol.
 */
import type { MediaPart } from "../media/Contents.ts"
import type { Capability } from "../domain/Deployment.ts"
import type { JsonObject } from "../domain/Json.ts"

/** What the router needs to know about a request to any endpoint. */
export interface RoutedRequest {
  readonly body: JsonObject
  /** The `model` field as the caller sent it. */
  readonly model: string
  /** The text of the last user message, which `auto` classifies. */
  readonly prompt: string
  /** The last user message also holds content that the classifier can't read: images, recordings, files, tokens. */
  readonly hasUnread: boolean
  /** The conversation's messages and items, including the last user message; empty where there are none. */
  readonly history: ReadonlyArray<unknown>
  /** The capabilities that a deployment needs to serve this request. */
  readonly needs: ReadonlyArray<Capability>
  /** An estimate of the input tokens, for token limits and context windows. */
  readonly inputEstimate: number
  /** The caller's `max_completion_tokens`, else `max_tokens`; undefined if neither is set. */
  readonly maxOutput: number | undefined
  /** The number of answers asked for (`n`), at least 1. */
  readonly choices: number
}

/** The long strings of a large body, for protocols that forward them unchanged. */
export interface LongStrings {
  /** The body these strings belong to. A body that was changed since is sent without them. */
  readonly whole: unknown
  /** The body with a short mark in place of each long string. */
  readonly body: JsonObject
  /** Encodes JSON that holds marks, with the strings put back in place. */
  readonly splice: (json: string) => Uint8Array
}

export interface ChatRequest extends RoutedRequest {
  /** Set only for a large body. */
  readonly long?: LongStrings
  readonly stream: boolean
  /** The caller asked for the usage chunk (`stream_options.include_usage`). */
  readonly includeUsage: boolean
  /** An upper bound of its text tokens for any tokenizer, including what the API adds. */
  readonly textBound: number
  /** An estimate of the tokens of its non-text parts. */
  readonly mediaEstimate: number
  /** Its non-text parts. */
  readonly media: ReadonlyArray<MediaPart>
}
