/** Where operations without a conversation have their content: vectors, judgements, ranks, images, transcripts, speech. */
import type { ContentView } from "./ContentView.ts"
import { fieldRules } from "./FieldRules.ts"

const HEAD = `id object created model usage`

/** Nothing that a model wrote. */
const none = fieldRules({ none: `${HEAD} data results meta embeddings input_tokens context_management` })
const never = { event: none, ends: () => undefined }

export const embeddingsContent: ContentView = {
  request: fieldRules({
    none: `model encoding_format input_type truncate`,
    tokens: `input`,
    field: `input.* user`,
    data: `input.*.image_url.url input.*.content.*.image_url.url`
  }),
  response: none,
  stream: never
}

export const moderationsContent: ContentView = {
  request: fieldRules({
    none: `model input.*.type`,
    tokens: `input`,
    url: `input.*.image_url.url`,
    field: `input.*.text input.*.image_url`
  }),
  response: none,
  stream: never
}

export const rerankContent: ContentView = {
  request: fieldRules({ none: `model`, field: `query documents documents.*.text rank_fields` }),
  response: fieldRules({ none: `${HEAD} meta`, field: `results results.*.document results.*.document.text` }),
  stream: never
}

/** Of complete responses and of events: an image, and what the vendor made of the prompt. */
const IMAGE = {
  none: `${HEAD} type background output_format quality size created_at partial_image_index`,
  data: `b64_json data.*.b64_json`,
  url: `data.*.url url`,
  field: `data data.*.revised_prompt revised_prompt`
}

export const imagesContent: ContentView = {
  request: fieldRules({
    none: `model size quality style background moderation output_format response_format input_fidelity stream resolution`,
    url: `images.*.image_url mask.image_url image_url image.* image`,
    field: `prompt negative_prompt user images images.*.file_id mask mask.file_id`
  }),
  response: fieldRules(IMAGE),
  stream: { event: fieldRules(IMAGE), ends: () => "all" }
}

const TRANSCRIPT = {
  none: `type usage task language segments.*.id segments.*.speaker speaker`,
  repeats: `logprobs`,
  field: `text segments segments.*.text words words.*.word`
}

export const transcriptsContent: ContentView = {
  request: fieldRules({
    none: `model response_format language stream timestamp_granularities include chunking_strategy`,
    field: `prompt known_speaker_names`,
    data: `known_speaker_references known_speaker_references.*`
  }),
  response: fieldRules(TRANSCRIPT),
  stream: {
    event: fieldRules(TRANSCRIPT, { piece: `delta`, none: `segment_id id` }),
    ends: ({ type }) => (type === "transcript.text.done" ? "all" : undefined)
  }
}

export const speechContent: ContentView = {
  request: fieldRules({ none: `model voice response_format stream_format voice.id`, field: `input instructions user` }),
  response: fieldRules({ none: HEAD, data: `audio data` }),
  stream: { event: fieldRules({ none: `type usage`, data: `audio delta data` }), ends: () => undefined }
}
