/** A gateway that stores responses, in front of played providers, and what its tests look at. */
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { APIError } from "openai"
import { startGateway, temporaryStore } from "../../support/RunningGateway.ts"
import { type Asked, type Reply, upstream } from "../../support/Upstream.ts"
import { response, responseEvents } from "./Wire.ts"

/** One deployment of `m` at each of the addresses. */
export const yaml = (urls: ReadonlyArray<string>, more = "") => `
providers: { ${urls.map((url, index) => `up${index}: { vendor: openai, base_url: "${url}", api_key: none }`).join(", ")} }
deployments:
${urls.map((_, index) => `  - { provider: up${index}, model: gpt-5-mini, price: { input: 1, output: 2 }, context_window: 100000 }`).join("\n")}
models: { m: [${urls.map((_, index) => `up${index}/gpt-5-mini`).join(", ")}] }
failover: { base_delay: 1ms }
${more}`

/** Says `answer 0`, `answer 1` …; a stream in two words. */
export const counting = ({ body }: Asked, number: number): Reply => ({
  body: body.stream === true ? responseEvents("answer ", String(number)) : response(`answer ${number}`)
})

export const speaking = Effect.fnUntraced(function* (
  script: (asked: Asked, number: number) => Reply = counting,
  more = ""
) {
  const { asked, baseUrl } = yield* upstream(script)
  const store = yield* temporaryStore
  const started = startGateway({ yaml: yaml([baseUrl], more), store })
  return { asked, started, stored: Effect.sync(() => storedIn(store)) }
})

/** What is stored, as rows. */
const storedIn = (path: string): ReadonlyArray<unknown> => {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    return db.prepare("SELECT * FROM responses, response_items ON response = responses.id").all()
  } finally {
    db.close()
  }
}

export const connected = Effect.fnUntraced(function* (...given: Parameters<typeof speaking>) {
  const { asked, started, stored } = yield* speaking(...given)
  const gateway = yield* started
  const { id, secret } = yield* gateway.createKey()
  return { ...gateway, asked, stored, id, secret, client: gateway.client(secret) }
})

/** What was said to a provider: roles and texts, and the types of all else. */
export const told = ({ body }: Asked): ReadonlyArray<string> =>
  (typeof body.input === "string" ? [{ role: "user", content: body.input }] : body.input).map(
    (item: { role?: string; type?: string; content?: string | ReadonlyArray<{ text: string }> }) =>
      item.role === undefined
        ? item.type
        : `${item.role}: ${typeof item.content === "string" ? item.content : item.content?.map(({ text }) => text).join("")}`
  )

/** Status, code and field of an error of the client. */
export const problemOf = (error: unknown) => {
  const { code, param, status } = error as APIError
  return [status, code, param]
}

/** What `problemOf` tells of a conversation that can't be continued. */
export const noPrevious = [400, "previous_response_not_found", "previous_response_id"]
