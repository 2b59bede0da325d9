/** Recordings to text, and text to speech: the vendor-defined shapes, as far as the gateway reads or adds to them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { GatewayInfo } from "./Chat.ts"
import { callFailures, documented } from "../Documented.ts"
import { numericHeaders, RequestHeaders, RoutingHeaders } from "./Headers.ts"
import { open, optional } from "../Open.ts"

const file = Schema.String.annotate({
  format: "binary",
  description: "The recording, as a file of the form. Its name and media type tell the provider its format."
})

const model = Schema.optionalKey(Schema.String).annotate({
  description: "A model that can do this; `auto`, or nothing: the first one that is configured.",
  examples: ["whisper-1"]
})

const shared = {
  file,
  model,
  prompt: Schema.optionalKey(Schema.String),
  response_format: Schema.optionalKey(Schema.String).annotate({
    description:
      "`json`, `text`, `srt`, `vtt`, `verbose_json` or `diarized_json`. `text` works with every model, subtitles with every one that has `verbose_json`."
  }),
  temperature: Schema.optionalKey(Schema.String)
}

export const TranslationRequest = open(shared)
  .annotate({ identifier: "TranslationRequest", title: "Translation request" })
  .pipe(HttpApiSchema.asMultipart())

export const TranscriptionRequest = open({
  ...shared,
  language: Schema.optionalKey(Schema.String),
  stream: Schema.optionalKey(Schema.String).annotate({ description: "`true`: answer with server-sent events." }),
  timestamp_granularities: Schema.optionalKey(Schema.Array(Schema.String))
})
  .annotate({ identifier: "TranscriptionRequest", title: "Transcription request" })
  .pipe(HttpApiSchema.asMultipart())

const cost = optional(Schema.Finite).annotate({ description: "USD, exact; null: nobody knows the price." })

export const Transcript = open({
  text: Schema.String,
  usage: open({
    type: Schema.Literals(["duration", "tokens"]).annotate({
      description: "How it is billed: by the `seconds` of the recording, or by tokens."
    }),
    cost
  }).annotate({ identifier: "TranscriptUsage" }),
  gateway: Schema.optionalKey(GatewayInfo)
}).annotate({ identifier: "Transcript", title: "Transcript" })

const PlainTranscript = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain" })).annotate({
  description: "With `response_format` `text`, `srt` or `vtt`. The cost is in the headers."
})

const TranscriptEvents = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })).annotate({
  description:
    'With `stream: true`: `transcript.text.delta` events, and at the end `transcript.text.done` with `usage.cost` and `gateway`. A stream that broke off ends with one `{"error": …}`.'
})

export const SpeechRequest = open({
  model,
  input: Schema.String.annotate({ description: "What to say." }),
  voice: Schema.optionalKey(Schema.Json).annotate({ description: "The name of a voice, or an object with its id." }),
  instructions: optional(Schema.String),
  response_format: optional(Schema.String).annotate({ description: "`mp3`, `opus`, `aac`, `flac`, `wav` or `pcm`." }),
  speed: optional(Schema.Finite),
  stream_format: optional(Schema.Literals(["audio", "sse"])).annotate({
    description: "`sse`: answer with server-sent events, which hold the sound in base64."
  })
}).annotate({
  identifier: "SpeechRequest",
  title: "Speech request",
  examples: [{ model: "auto", voice: "alloy", input: "Hello there." }]
})

const Sound = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "audio/mpeg" })).annotate({
  description: "The sound, of the media type that was asked for. The cost is in the headers."
})

const SpeechEvents = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })).annotate({
  description:
    'With `stream_format: "sse"`: `speech.audio.delta` events, and at the end `speech.audio.done` with `usage.cost` and `gateway`.'
})

export const audio = HttpApiGroup.make("audio")
  .add(
    HttpApiEndpoint.post("createTranscription", "/v1/audio/transcriptions", {
      headers: RequestHeaders,
      payload: TranscriptionRequest,
      success: [HttpApiSchema.WithHeaders(Transcript, RoutingHeaders), PlainTranscript, TranscriptEvents]
    }).annotateMerge(
      documented({
        failures: callFailures,
        numbers: numericHeaders,
        summary: "Write down a recording",
        description:
          "The vendor-defined endpoint. The upload is kept until the answer is complete, so that another deployment can get it when one fails."
      })
    ),
    HttpApiEndpoint.post("createTranslation", "/v1/audio/translations", {
      headers: RequestHeaders,
      payload: TranslationRequest,
      success: [HttpApiSchema.WithHeaders(Transcript, RoutingHeaders), PlainTranscript]
    }).annotateMerge(
      documented({
        failures: callFailures,
        numbers: numericHeaders,
        summary: "Write down a recording in English",
        description: "The vendor-defined endpoint. It never streams."
      })
    ),
    HttpApiEndpoint.post("createSpeech", "/v1/audio/speech", {
      headers: RequestHeaders,
      payload: SpeechRequest,
      success: [HttpApiSchema.WithHeaders(Sound, RoutingHeaders), SpeechEvents]
    }).annotateMerge(
      documented({
        failures: callFailures,
        numbers: numericHeaders,
        summary: "Speak a text",
        description: "The vendor-defined endpoint: a sound file, or events with pieces of one."
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Audio", description: "Recordings to text, and text to speech." }))
