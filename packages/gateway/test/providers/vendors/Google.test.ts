import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { boundOf } from "../../../src/core/bounds/Bounds.ts"
import { unpricedIn } from "../../../src/core/bounds/Unpriced.ts"
import { Unsupported } from "../../../src/core/domain/Failures.ts"
import { inputTokens } from "../../../src/core/domain/Usage.ts"
import { measure } from "../../../src/core/media/Measure.ts"
import { parseChat } from "../../../src/core/operations/chat/ParseChat.ts"
import { AuthFailed, type ReadyAuth } from "../../../src/core/pool/Auth.ts"
import { noLoad } from "../../../src/core/pool/Transport.ts"
import { googleAuth, googleAuthBy } from "../../../src/providers/auth/Google.ts"
import { GeminiChat } from "../../../src/providers/protocols/gemini/GeminiProtocol.ts"
import { asChat, recordedModel } from "../../support/GeminiRequests.ts"
import { hasData } from "../../support/Transcripts.ts"
import { callFor, exchanges, textOf } from "../protocols/gemini/Recordings.ts"
import { resolved } from "./Resolved.ts"

const at = (location: string) => ({ options: { shown: { project: "p", location }, secret: {} } })

describe("Vertex", () => {
  it("is at the host of its location, with the model's publisher", () => {
    const address = (location: string, model = "gemini-2.5-flash") => resolved("vertex", model, at(location)).baseUrl
    const path = (location: string) => `/v1/projects/p/locations/${location}/publishers`
    assert.strictEqual(address("global"), `https://aiplatform.googleapis.com${path("global")}/google`)
    assert.strictEqual(address("eu"), `https://aiplatform.eu.rep.googleapis.com${path("eu")}/google`)
    assert.strictEqual(
      address("europe-west4", "claude-sonnet-4-5@20250929"),
      `https://europe-west4-aiplatform.googleapis.com${path("europe-west4")}/anthropic`
    )
  })

  it("speaks each publisher's protocol, and Claude's operations are Claude's", () => {
    const gemini = resolved("vertex", "gemini-2.5-flash", at("global"))
    const claude = resolved("vertex", "claude-sonnet-4-5@20250929", at("global"))
    assert.deepStrictEqual([gemini.protocol, claude.protocol], ["gemini", "anthropic-messages"])
    assert.deepStrictEqual([...claude.operations!], ["chat", "messages", "count_tokens"])
    // Gemini fetches addresses itself there; Claude takes bytes.
    assert.deepStrictEqual([gemini.inlineImages, claude.inlineImages], [false, true])
    assert.strictEqual(claude.maxOutputTokens, 64_000)
  })

  it("costs a tenth more in a region, for the models that do", () => {
    const input = (model: string, location: string) =>
      resolved("vertex", model, at(location)).price!.ratesAt(0).base.input
    for (const model of ["gemini-3.5-flash", "claude-sonnet-4-5@20250929"]) {
      assert.strictEqual(input(model, "eu"), Math.round(input(model, "global") * 1.1))
    }
    assert.strictEqual(input("gemini-2.5-flash", "europe-west4"), input("gemini-2.5-flash", "global"))
  })
})

describe("Google's prices", () => {
  it("have one for recordings, where the list names none that of text", () => {
    const rates = (model: string) => resolved("google-ai-studio", model).price!.ratesAt(0).base
    assert.strictEqual(rates("gemini-2.5-pro").audioInput, rates("gemini-2.5-pro").input)
    assert.isAbove(rates("gemini-2.5-flash").audioInput, rates("gemini-2.5-flash").input)
  })

  it("have one for searches; as nothing bounds how many there are, a budget refuses them", () => {
    const deployment = resolved("google-ai-studio", "gemini-3.8-flash")
    const body = { model: "m", messages: [{ role: "user", content: "Hi" }], tools: [{ googleSearch: {} }] }
    const request = Result.getOrThrow(parseChat(body, 100))
    assert.isUndefined(unpricedIn(deployment, deployment.price!, request))
    assert.instanceOf(boundOf(request, deployment, new Map()), Unsupported)
    const cached = { ...body, tools: [], extra_body: { google: { cached_content: "cachedContents/x" } } }
    assert.instanceOf(boundOf(Result.getOrThrow(parseChat(cached, 100)), deployment, new Map()), Unsupported)
  })
})

describe("what a request to Google can be billed", () => {
  it("counts a file that is elsewhere as all that fits, however short its address", () => {
    const deployment = resolved("vertex", "gemini-2.5-flash", at("global"))
    for (const file of [
      { file_data: "gs://b/a.pdf" },
      { file_data: "data:video/webm;base64,QUJD" },
      { file_id: "gs://b/a.pdf" },
      { file_data: "https://e.com/a.pdf" }
    ]) {
      const body = { model: "m", messages: [{ role: "user", content: [{ type: "file", file }] }] }
      const request = Result.getOrThrow(parseChat(body, 200))
      const measures = Effect.runSync(measure(request.media, undefined))
      const bound = boundOf(request, deployment, measures)
      assert.isTrue(!(bound instanceof Unsupported) && bound.input + bound.audio >= deployment.contextWindow!)
    }
  })

  it.effect.skipIf(!hasData)("is never more than what was billed in recorded exchanges", () =>
    Effect.gen(function* () {
      let media = 0
      for (const exchange of exchanges.filter(({ response, streamed }) => response.status === 200 && !streamed)) {
        const asked = { ...asChat(exchange), model: "m" }
        // What Google's own tools read has no bound: such requests are refused under a budget.
        if (/"(?:googleSearch|urlContext|codeExecution|fileSearch|cached_content)"/.test(JSON.stringify(asked)))
          continue
        const request = Result.getOrThrow(parseChat(asked, Buffer.byteLength(JSON.stringify(asked))))
        const deployment = resolved("google-ai-studio", recordedModel(exchange)!)
        const bound = boundOf(request, deployment, yield* measure(request.media, undefined))
        const { usage } = Result.getOrThrow(GeminiChat.lift(textOf(exchange), callFor(exchange)))
        if (bound instanceof Unsupported) assert.fail(`${exchange.name}: ${bound.message}`)
        else assert.isAtLeast(bound.input + bound.audio, inputTokens(usage!), exchange.name)
        media += request.media.length
      }
      assert.isAbove(media, 40)
    })
  )
})

describe("Google's authentication", () => {
  const ready = (secret: Record<string, Redacted.Redacted<string>>, auth = googleAuth): ReadyAuth => {
    const context = {
      options: { shown: {}, secret },
      hasKeys: false,
      transport: { whole: () => Effect.never, open: () => Effect.never, load: () => noLoad }
    }
    return auth.kind === "perProvider" ? auth.make(context) : auth
  }
  const why = (auth: ReadyAuth) =>
    auth.kind === "perRequest" ? Effect.flip(auth.headers({} as never, undefined)) : Effect.die("it is static")

  it.live("says what is wrong with credentials, and nothing that is in them", () =>
    Effect.gen(function* () {
      const key = { type: "service_account", client_email: "a@b.c", private_key: "s3cr3t" }
      const unreadable = yield* why(ready({ credentials: Redacted.make(JSON.stringify(key)) }))
      assert.match(unreadable.message, /private key|credentials could not be used/)
      assert.notInclude(unreadable.message, "s3cr3t")
      const missing = yield* why(ready({ credentials: Redacted.make("/no/such/file.json") }))
      assert.include(missing.message, "credentials could not be used")
      const broken = yield* why(ready({ credentials: Redacted.make('{"private_key": "s3cr3t') }))
      assert.notInclude(broken.message, "s3cr3t")
    })
  )

  it.effect("passes on why there was no token, and asks again for the next request", () =>
    Effect.gen(function* () {
      let asked = 0
      const auth = ready(
        {},
        googleAuthBy(() =>
          Effect.suspend(() => {
            asked++
            return asked === 1
              ? Effect.fail(new AuthFailed({ message: "no" }))
              : Effect.succeed({ value: Redacted.make("t"), endsAt: 3_600_000 })
          })
        )
      )
      assert.strictEqual((yield* why(auth)).message, "no")
      const headers = auth.kind === "perRequest" ? yield* auth.headers({} as never, undefined) : {}
      assert.deepStrictEqual(headers, { authorization: "Bearer t" })
    })
  )
})
