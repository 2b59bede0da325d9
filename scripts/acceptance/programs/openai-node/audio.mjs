/** Speech and its transcription. */
import assert from "node:assert/strict"
import { toFile } from "openai"
import { check } from "../node/checks.mjs"
import { connect } from "./_client.mjs"

const model = "demo/transcribe"
const transcript = "This is a recording of 2 seconds. The demo provider does not know its words."
const asked = {
  model: "demo/speech",
  voice: "alloy",
  input: "The raven is like a writing desk",
  response_format: "wav"
}

const spoken = async () => Buffer.from(await (await connect().audio.speech.create(asked)).arrayBuffer())

const file = async () => toFile(await spoken(), "words.wav", { type: "audio/wav" })

check("speech", async () => {
  const response = await connect().audio.speech.create(asked)
  assert.equal(response.headers.get("content-type"), "audio/wav")
  assert.ok(Number(response.headers.get("x-gateway-cost-usd")) > 0)
  const sound = Buffer.from(await response.arrayBuffer())
  assert.equal(sound.subarray(0, 4).toString(), "RIFF")
})

check("speech as events", async () => {
  const response = await connect().audio.speech.create({ ...asked, stream_format: "sse" })
  const text = await response.text()
  assert.match(text, /speech\.audio\.delta/)
  assert.match(text, /speech\.audio\.done/)
})

check("a transcription of what was spoken", async () => {
  const { data, response } = await connect()
    .audio.transcriptions.create({ model, file: await file() })
    .withResponse()
  assert.equal(data.text, transcript)
  assert.ok(Number(response.headers.get("x-gateway-cost-usd")) > 0)
})

check("a transcription with its segments, as text and as subtitles", async () => {
  const { transcriptions } = connect().audio
  const verbose = await transcriptions.create({ model, file: await file(), response_format: "verbose_json" })
  assert.ok(verbose.duration > 0)
  assert.ok(verbose.segments.length > 0)
  const text = await transcriptions.create({ model, file: await file(), response_format: "text" })
  assert.equal(text.trim(), transcript)
  const subtitles = await transcriptions.create({ model, file: await file(), response_format: "srt" })
  assert.match(subtitles, /-->/)
})

check("a streamed transcription", async () => {
  const events = await Array.fromAsync(
    await connect().audio.transcriptions.create({ model, file: await file(), stream: true })
  )
  const last = events.at(-1)
  assert.equal(last.type, "transcript.text.done")
  assert.equal(last.text, transcript)
})

check("a translation", async () => {
  const { text } = await connect().audio.translations.create({ model, file: await file() })
  assert.equal(text, transcript)
})
