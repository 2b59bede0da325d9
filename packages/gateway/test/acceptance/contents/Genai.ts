/** Gateways for Google's own client, unchanged. */
import { GoogleGenAI } from "@google/genai"
import { Effect } from "effect"
import { startGateway } from "../../support/RunningGateway.ts"
import { type Asked, type Reply, upstream } from "../../support/Upstream.ts"

export const genai = (url: string, secret: string): GoogleGenAI =>
  new GoogleGenAI({ apiKey: secret, httpOptions: { baseUrl: url, retryOptions: { attempts: 1 } } })

/** A gateway with one deployment, `up/m`, of that protocol, which says what `script` says. */
export const before = Effect.fnUntraced(function* (
  protocol: "anthropic-messages" | "gemini" | "openai-chat",
  script: (asked: Asked, number: number) => Reply,
  yaml = ""
) {
  const { asked, baseUrl } = yield* upstream(script)
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: ${protocol}, base_url: "${baseUrl}", api_key: "operators-own" } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 5 }, context_window: 100000 }]
failover: { base_delay: 1ms }
${yaml}`
  })
  const { secret } = yield* gateway.createKey()
  return { ...gateway, asked, secret, client: genai(gateway.url, secret) }
})

/** All answers of a stream, or of a list. */
export const allOf = async <A>(answers: Promise<AsyncIterable<A>>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const one of await answers) all.push(one)
  return all
}
