/** OpenAI's model families, as its model pages have them. The first that matches and says it counts. */
import type { VendorFamily } from "../../core/pool/Vendor.ts"
import { everyonesFamilies, vectorModels, without } from "./Families.ts"

const NOT_CHAT =
  /embedding|whisper|transcribe|tts|dall-e|gpt-image|sora|moderation|realtime|^(?:babbage|davinci|text-)|instruct/

export const openAiFamilies: ReadonlyArray<VendorFamily> = [
  vectorModels,
  // They write without chatting: completions only.
  { match: /instruct|^(?:babbage|davinci)/, supports: new Set(["chat", "stream"]) },
  // An image takes up to two minutes: https://developers.openai.com/api/docs/guides/image-generation ("Limitations", 2026-11-22).
  { match: /gpt-image/, supports: new Set(["stream"]), thinksSilently: true, hidesReasoning: "never" },
  { match: NOT_CHAT, supports: new Set() },
  { match: /audio/, supports: without("images", "files", "json_schema", "reasoning") },
  { match: /^gpt-5(?:\.\d)?-chat/, maxOutput: 16_384, supports: without("audio", "reasoning") },
  { match: /^gpt-[56]/, maxOutput: 128_000 },
  { match: /^o1-mini/, maxOutput: 65_536 },
  { match: /^o1-preview/, maxOutput: 32_768 },
  { match: /^o1-(?:mini|preview)/, supports: new Set(["chat", "stream", "reasoning"]) },
  { match: /^o3-mini/, supports: without("images", "files", "audio") },
  { match: /^o[134]/, maxOutput: 100_000 },
  { match: /^(?:o\d|gpt-[5-9])/, supports: without("audio") },
  { match: /^gpt-4\.1/, maxOutput: 32_768 },
  { match: /^gpt-4o-2024-05-13$/, maxOutput: 4096, supports: without("audio", "reasoning", "json_schema") },
  { match: /^gpt-4o/, maxOutput: 16_384 },
  { match: /^gpt-4(?:o|\.)/, supports: without("audio", "reasoning") },
  { match: /^gpt-(?:4-turbo|3\.5-turbo)/, maxOutput: 4096 },
  { match: /^gpt-4-turbo/, supports: without("audio", "reasoning", "json_schema", "files") },
  { match: /^gpt-4(?:-0613)?$/, maxOutput: 8192 },
  // Recorded: they answer requests with images.
  { match: /^gpt-4-(?:1106-)?vision/, maxOutput: 4096, supports: new Set(["chat", "stream", "images"]) },
  { match: /^gpt-(?:3\.5|4)/, supports: new Set(["chat", "stream", "tools"]) },
  { match: /^/, supports: without("audio") },
  ...everyonesFamilies
]
