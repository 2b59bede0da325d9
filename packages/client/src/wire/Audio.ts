/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */
import type { Upload } from "../Upload.ts"
import type { GatewayInfo } from "./Inference.ts"

export interface SpeechRequest {
  /** A model that can do this; `auto`, or nothing: the first one that is configured. */
  readonly model?: string | undefined
  /** What to say. */
  readonly input: string
  /** The name of a voice, or an object with its id. */
  readonly voice?: unknown | undefined
  readonly instructions?: string | null | undefined
  /** `mp3`, `opus`, `aac`, `flac`, `wav` or `pcm`. */
  readonly response_format?: string | null | undefined
  readonly speed?: number | null | undefined
  /** `sse`: answer with server-sent events, which hold the sound in base64. */
  readonly stream_format?: "audio" | "sse" | null | undefined
  readonly [field: string]: unknown
}

export interface Transcript {
  readonly text: string
  readonly usage: TranscriptUsage
  readonly gateway?: GatewayInfo | undefined
  readonly [field: string]: unknown
}

export interface TranscriptUsage {
  /** How it is billed: by the `seconds` of the recording, or by tokens. */
  readonly type: "duration" | "tokens"
  /** USD, exact; null: nobody knows the price. */
  readonly cost?: number | null | undefined
  readonly [field: string]: unknown
}

export interface TranslationRequest {
  /** The recording, as a file of the form. Its name and media type tell the provider its format. */
  readonly file: Upload
  /** A model that can do this; `auto`, or nothing: the first one that is configured. */
  readonly model?: string | undefined
  readonly prompt?: string | undefined
  /** `json`, `text`, `srt`, `vtt`, `verbose_json` or `diarized_json`. `text` works with every model, subtitles with every one that has `verbose_json`. */
  readonly response_format?: string | undefined
  readonly temperature?: string | undefined
  readonly [field: string]: unknown
}

export interface TranscriptionRequest {
  /** The recording, as a file of the form. Its name and media type tell the provider its format. */
  readonly file: Upload
  /** A model that can do this; `auto`, or nothing: the first one that is configured. */
  readonly model?: string | undefined
  readonly prompt?: string | undefined
  /** `json`, `text`, `srt`, `vtt`, `verbose_json` or `diarized_json`. `text` works with every model, subtitles with every one that has `verbose_json`. */
  readonly response_format?: string | undefined
  readonly temperature?: string | undefined
  readonly language?: string | undefined
  /** `true`: answer with server-sent events. */
  readonly stream?: string | undefined
  readonly timestamp_granularities?: ReadonlyArray<string> | undefined
  readonly [field: string]: unknown
}
