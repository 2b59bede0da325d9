/** Speech and its transcription. */
import assert from "node:assert/strict"
import { generateSpeech, transcribe } from "ai"
import { check } from "../node/checks.mjs"
import { openai } from "./_providers.mjs"

check("generateSpeech and transcribe", async () => {
  const words = "The raven is like a writing desk"
  const { audio } = await generateSpeech({ model: openai.speech("demo/speech"), text: words, outputFormat: "wav" })
  const { text } = await transcribe({ model: openai.transcription("demo/transcribe"), audio: audio.uint8Array })
  assert.equal(text, "This is a recording of 2 seconds. The demo provider does not know its words.")
})
