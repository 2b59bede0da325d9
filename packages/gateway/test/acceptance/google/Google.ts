/** A gateway before a Google that says what a test wants. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { startGateway } from "../../support/RunningGateway.ts"
import { type Asked, type Reply, upstream } from "../../support/Upstream.ts"

export const STUDIO_KEY = "AIza-operators-own-0123456789"

/** One candidate, and what it used. */
export const generated = (parts: ReadonlyArray<object>, finishReason?: string, more: object = {}) => ({
  candidates: [
    { content: { role: "model", parts }, index: 0, ...(finishReason === undefined ? {} : { finishReason }) }
  ],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 30, totalTokenCount: 150 },
  modelVersion: "gemini",
  responseId: "r1",
  ...more
})

/** Events of a stream as Google frames them. */
export const events = (...responses: ReadonlyArray<object>): Reply => ({
  headers: { "content-type": "text/event-stream" },
  body: responses.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`)
})

export const refusal = (code: number, status: string, message: string, details: ReadonlyArray<object> = []): Reply => ({
  status: code,
  body: { error: { code, message, status, details } }
})

/** `reply` answers what is asked at AI Studio, for `models`; a deployment behind `spare/m` always works. */
export const beforeStudio = Effect.fnUntraced(function* (
  models: ReadonlyArray<string>,
  reply: (asked: Asked, number: number) => Reply
) {
  const { asked, baseUrl } = yield* upstream(reply)
  const spare = yield* upstream(({ body }) =>
    body.stream === true
      ? events(generated([{ text: "spare" }], "STOP"))
      : { body: generated([{ text: "spare" }], "STOP") }
  )
  const gateway = yield* startGateway({
    yaml: `
providers:
  gemini: { api_key: "${STUDIO_KEY}", base_url: "${baseUrl}" }
  spare: { protocol: gemini, base_url: "${spare.baseUrl}", api_key: none }
deployments:
${models.map((model) => `  - gemini/${model}`).join("\n")}
  - { provider: spare, model: m, price: { input: 1, output: 1 }, context_window: 100000 }
models: { spared: [gemini/${models[0]}, spare/m] }
failover: { base_delay: 1ms }
`
  })
  const { secret } = yield* gateway.createKey()
  return { ...gateway, asked, client: gateway.client(secret), secret }
})

/** Who gives out `token-1`, `token-2` …, each for an hour, as a workload identity's endpoint does; and its credentials, as a file. */
export const workloadIdentity = Effect.fnUntraced(function* (answer: (number: number) => Reply) {
  const issuer = yield* upstreamOfTokens(answer)
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "identity-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const subject = join(folder, "subject.txt")
  const file = join(folder, "credentials.json")
  yield* Effect.sync(() => {
    writeFileSync(subject, "a-subject-token")
    writeFileSync(
      file,
      JSON.stringify({
        type: "external_account",
        audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        token_url: issuer.url,
        credential_source: { file: subject }
      })
    )
  })
  return { file, issued: issuer.issued }
})

const upstreamOfTokens = Effect.fnUntraced(function* (answer: (number: number) => Reply) {
  const { createServer } = yield* Effect.promise(() => import("node:http"))
  const state = { count: 0 }
  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      const { body, status = 200 } = answer(state.count++)
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    })
  })
  yield* Effect.callback<void>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.void))
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}/token`, issued: () => state.count }
})

export const token = (number: number): Reply => ({
  body: {
    access_token: `token-${number + 1}`,
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    token_type: "Bearer",
    expires_in: 3600
  }
})
