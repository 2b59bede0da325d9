/** Streams that break off, as clients see them: first the error event, then a body without its end (but of the Responses API). */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { createServer as createTcpServer, type AddressInfo, connect } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import OpenAI from "openai"
import { eventually } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { say } from "../support/RawSocket.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { wave } from "../support/Uploads.ts"
import { completionEvents, event, upstream } from "../support/Upstream.ts"

const words = completionEvents("half ").slice(0, 2)

const eventsAt = (path: string, model: string): ReadonlyArray<string> => {
  if (path.endsWith("/speech")) return [event({ type: "speech.audio.delta", audio: "AAAA" })]
  if (path.endsWith("/transcriptions")) return [event({ type: "transcript.text.delta", delta: "half " })]
  if (path.endsWith("/generations")) {
    const image = { type: "image_generation.partial_image", b64_json: "AAAA", partial_image_index: 0 }
    return [`event: ${image.type}\n${event(image)}`]
  }
  if (model !== "large") return words
  return [words[0]!, ...Array.from({ length: 300 }, () => words[1]!.replace("half ", "x".repeat(64 * 1024)))]
}

/** A gateway before a provider whose streams all break off after their first words; `large` says 20 MB first. */
const setup = Effect.gen(function* () {
  const { baseUrl } = yield* upstream(({ body, path }) => ({
    body: eventsAt(path, body.model),
    ending: "reset"
  }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  chat: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }
  up: { vendor: openai, base_url: "${baseUrl}", api_key: none }
deployments: [${["chat/m", "chat/large", "up/tts-1", "up/gpt-4o-transcribe", "up/gpt-image-1"]
      .map((name) => `{ provider: ${name.replace("/", ", model: ")}, price: { input: 1, output: 2 } }`)
      .join(", ")}]
failover: { attempts: 1 }
`
  })
  const { secret } = yield* gateway.createKey()
  return { ...gateway, secret }
})

const messages = [{ role: "user" as const, content: "Hi" }]
const recording = () => {
  const form = new FormData()
  form.set("model", "up/gpt-4o-transcribe")
  form.set("stream", "true")
  form.set("file", new Blob([new Uint8Array(wave(1))]), "a.wav")
  return form
}

/** One request for a stream at each endpoint that has them. */
const requests: ReadonlyArray<readonly [path: string, body: object, error: RegExp]> = [
  ["/v1/chat/completions", { model: "chat/m", messages }, /data: \{"error":/],
  ["/v1/completions", { model: "chat/m", prompt: "Hi" }, /data: \{"error":/],
  ["/v1/messages", { model: "chat/m", max_tokens: 9, messages }, /event: error\n/],
  ["/v1/responses", { model: "chat/m", input: "Hi" }, /event: error\n[^]*event: response\.failed\n/],
  ["/v1/audio/speech", { model: "up/tts-1", input: "Hi", voice: "alloy", stream_format: "sse" }, /data: \{"error":/],
  ["/v1/images/generations", { model: "up/gpt-image-1", prompt: "A cat", partial_images: 1 }, /data: \{"error":/]
]

/** Each of them has its error event last, and no end of its body; `response.failed` is the end of a stream of the Responses API. */
const breakOff = (url: string, key: string) =>
  Effect.forEach(
    requests,
    Effect.fnUntraced(function* ([path, fields, error]) {
      const body = path.endsWith("/speech") ? fields : { ...fields, stream: true }
      const { isBroken, status, text } = yield* call(url, { path, key, body })
      assert.strictEqual(status, 200, `${path}: ${text}`)
      assert.match(text, error, path)
      assert.isTrue(text.endsWith("\n\n"), path)
      assert.strictEqual(isBroken, path !== "/v1/responses", path)
    }),
    { concurrency: "unbounded" }
  )

describe("a stream that breaks off", () => {
  it.live("has an error event and no end of its body, at every endpoint but Responses, whose body ends", () =>
    Effect.gen(function* () {
      const { secret: key, url } = yield* setup
      yield* breakOff(url, key)
      const form = new Response(recording())
      const { isBroken, text } = yield* call(url, {
        path: "/v1/audio/transcriptions",
        key,
        headers: { "content-type": form.headers.get("content-type") ?? "" },
        body: new Uint8Array(yield* Effect.promise(() => form.arrayBuffer()))
      })
      assert.match(text, /half [^]*data: \{"error":/)
      assert.isTrue(isBroken)
    })
  )

  it.live("closes its connection, and answers no request that was sent ahead; HTTP/1.0 clients get a reset last", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* setup
      const body = JSON.stringify({ model: "chat/m", stream: true, messages })
      const wish = (version: string) =>
        `POST /v1/chat/completions HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      for (const [version, times] of [
        ["1.1", 1],
        ["1.1", 3],
        ["1.0", 1]
      ] as const) {
        const heard = yield* say(url, { pieces: [wish(version).repeat(times)] })
        assert.strictEqual(heard.ended, version === "1.0" ? "reset" : "closed")
        assert.strictEqual(heard.raw.split('data: {"error":').length, 2)
        assert.notInclude(heard.raw, "\r\n0\r\n")
      }
    })
  )

  it.live("reaches a client that reads slowly with all its events, the error last", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* setup
      const read = yield* Effect.promise(
        () =>
          new Promise<{ readonly length: number; readonly end: string; readonly isComplete: boolean }>((resolve) => {
            const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" }
            const outgoing = httpRequest(`${url}/v1/chat/completions`, { method: "POST", headers }, (response) => {
              let length = 0
              let end = ""
              response.setEncoding("utf8").on("data", (piece: string) => {
                length += piece.length
                end = (end + piece).slice(-1_000)
                response.pause()
                setTimeout(() => response.resume(), 2)
              })
              response.on("error", () => {})
              response.on("close", () => resolve({ length, end, isComplete: response.complete }))
            })
            outgoing.end(JSON.stringify({ model: "chat/large", stream: true, messages }))
          })
      )
      assert.isAbove(read.length, 16 * 2 ** 20)
      assert.match(read.end, /data: \{"error":[^\n]*\n\n$/)
      assert.isFalse(read.isComplete)
    })
  )

  it.live("is the error of the event in the SDKs of OpenAI and Anthropic", () =>
    Effect.gen(function* () {
      const { secret, url } = yield* setup
      const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0 })
      const anthropic = new Anthropic({ baseURL: url, apiKey: secret, maxRetries: 0 })
      const model = "chat/m"
      const streams = [
        () => openai.chat.completions.create({ model, messages, stream: true }),
        () => openai.completions.create({ model, prompt: "Hi", stream: true }),
        () => openai.responses.create({ model, input: "Hi", stream: true })
      ]
      const failed = async (stream: () => PromiseLike<AsyncIterable<unknown>>): Promise<unknown> => {
        try {
          for await (const _ of await stream());
        } catch (error) {
          return error
        }
        return undefined
      }
      for (const stream of streams) {
        const error = yield* Effect.promise(() => failed(stream))
        assert.instanceOf(error, OpenAI.APIError)
        assert.strictEqual(error.code, "upstream_unavailable")
      }
      const error = yield* Effect.promise(() =>
        failed(() => anthropic.messages.create({ model, max_tokens: 9, messages, stream: true }))
      )
      assert.instanceOf(error, Anthropic.APIError)
      assert.include(error.message, "upstream_unavailable")
    })
  )

  const nginx = (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, "nginx")))
  it.live.runIf(nginx)(
    "stays incomplete behind nginx, which may speak HTTP/1.0 to the gateway, and its error event passes",
    () =>
      Effect.gen(function* () {
        const { secret: key, url } = yield* setup
        for (const http of ["1.1", "1.0"]) yield* breakOff(yield* nginxBefore(url, http), key)
      })
  )
})

/** nginx with the settings that `packages/deploy/proxies/nginx.conf` has for streams, and the version of HTTP that it speaks. */
const nginxBefore = Effect.fnUntraced(function* (url: string, http: string) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "model-gateway-nginx-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const port = yield* freePort
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((one) => `${one}_temp_path ${folder}/t;`)
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log; events {}
http { access_log off; ${places.join(" ")} server { listen 127.0.0.1:${port}; location / {
proxy_pass ${url}; proxy_http_version ${http}; proxy_set_header Connection ""; proxy_buffering off; } } }`
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: "ignore" })),
    (child) =>
      Effect.callback<void>((resume) => {
        child.once("exit", () => resume(Effect.void)).kill()
      })
  )
  yield* eventually(listens(port), (isSo) => isSo)
  return `http://127.0.0.1:${port}`
})

const freePort = Effect.callback<number>((resume) => {
  const server = createTcpServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

const listens = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(true)))
    socket.on("error", () => resume(Effect.succeed(false))).on("connect", () => socket.destroy())
  })
