/** One request with the vendor's client, and what it saw. */
import OpenAI from "openai"
import type { Case } from "./FaultsRun.ts"
import type { Seen } from "./Judge.ts"

export const see = async (client: OpenAI, { mode, tag }: Case): Promise<Seen> => {
  const asked = { model: `model ${tag}`, max_tokens: 100, messages: [{ role: "user" as const, content: "Count" }] }
  const headers = {
    "x-gateway-tags": tag,
    ...(mode === "buffer" ? { "x-gateway-stream-recovery": "buffer" } : {})
  }
  let text = ""
  let retries: number | undefined
  try {
    if (mode === "plain") {
      const { data, response } = await client.chat.completions.create(asked, { headers }).withResponse()
      retries = retriesOf(response)
      const finished = data.choices[0]?.finish_reason === "stop"
      const text = data.choices[0]?.message.content ?? ""
      return { text, retries, finished, cost: costIn(data), isHit: isHit(response) }
    }
    const { data, response } = await client.chat.completions
      .create({ ...asked, stream: true }, { headers })
      .withResponse()
    retries = retriesOf(response)
    let finished = false
    let cost: number | undefined
    for await (const chunk of data) {
      text += chunk.choices[0]?.delta.content ?? ""
      finished ||= chunk.choices[0]?.finish_reason === "stop"
      cost = costIn(chunk) ?? cost
    }
    return { text, retries, finished, cost, isHit: isHit(response) }
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) return { text, retries, finished: false, strange: String(error) }
    const told = { status: error.status as number | undefined, code: error.code ?? null, name: error.constructor.name }
    return { text, retries: retries ?? undefined, finished: false, error: told }
  }
}

const isHit = (response: Response): boolean => response.headers.get("x-gateway-cache") === "hit"

const retriesOf = (response: Response): number => Number(response.headers.get("x-gateway-retries") ?? Number.NaN)

/** Nano-USD, as the answer's own `gateway` object says. */
const costIn = (answer: object): number | undefined => {
  const told = (Reflect.get(answer, "gateway") as { readonly cost_usd?: number } | undefined)?.cost_usd
  return told === undefined ? undefined : Math.round(told * 1e9)
}
