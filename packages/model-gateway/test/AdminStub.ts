/** A real HTTP server that answers as a gateway's admin API would, and remembers what it was asked. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Deferred, Effect } from "effect"

export interface Asked {
  readonly method: string
  /** With its query, as it came. */
  readonly path: string
  readonly authorization: string | undefined
  /** Undefined without a body. */
  readonly body: unknown
}

export interface Answer {
  readonly status?: number
  readonly body: unknown
  /** Takes the request and never answers. */
  readonly silent?: boolean
}

export interface AdminStub {
  readonly url: string
  readonly port: number
  readonly asked: ReadonlyArray<Asked>
  /** Completes with the first request. */
  readonly wasAsked: Effect.Effect<void>
}

/** `METHOD /path` (without the query) → what is answered. Anything else is a 404. */
export type Answers = Readonly<Record<string, Answer | ((asked: Asked) => Answer)>>

const notFound: Answer = {
  status: 404,
  body: { error: { type: "invalid_request_error", message: "no such path", param: null, code: "not_found" } }
}

/** Closed when the test is over. */
export const adminStub = (answers: Answers) =>
  Effect.acquireRelease(
    Effect.callback<AdminStub & { readonly close: () => void }>((resume) => {
      const asked: Array<Asked> = []
      const first = Deferred.makeUnsafe<void>()
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8")
          const one: Asked = {
            method: request.method ?? "",
            path: request.url ?? "",
            authorization: request.headers.authorization,
            body: text === "" ? undefined : JSON.parse(text)
          }
          asked.push(one)
          Deferred.doneUnsafe(first, Effect.void)
          const answer = answers[`${one.method} ${one.path.split("?")[0]}`] ?? notFound
          const { body, silent, status = 200 } = typeof answer === "function" ? answer(one) : answer
          if (silent === true) return
          response.writeHead(status, { "content-type": "application/json" })
          response.end(typeof body === "string" ? body : JSON.stringify(body))
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, port, asked, wasAsked: Deferred.await(first), close }))
      })
    }),
    (stub) => Effect.sync(stub.close)
  )
