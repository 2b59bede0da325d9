/** What a stream says once, or piece by piece beside its text: gathered for its last chunk. */
import type { WireChoice, WireChunk, WireEnvelope } from "../answer/Wire.ts"

export class Closing {
  private end: WireEnvelope = {}
  private finish: string | undefined
  private readonly tokens: Array<unknown> = []
  private readonly withUsage: boolean

  constructor(withUsage: boolean) {
    this.withUsage = withUsage
  }

  add(chunk: WireChunk): void {
    const { choices, gateway: _gateway, usage, ...envelope } = chunk
    const known = Object.entries(envelope).filter(([, value]) => value !== undefined && value !== null)
    this.end = { ...this.end, ...Object.fromEntries(known), ...(this.withUsage && usage ? { usage } : {}) }
    const choice = choices?.[0]
    this.finish = choice?.finish_reason ?? this.finish
    const logprobs = choice?.logprobs as { readonly content?: unknown } | null | undefined
    if (Array.isArray(logprobs?.content)) this.tokens.push(...logprobs.content)
  }

  get envelope(): WireEnvelope {
    return this.end
  }

  get choice(): WireChoice {
    return {
      ...(this.finish === undefined ? {} : { finish_reason: this.finish }),
      ...(this.tokens.length === 0 ? {} : { logprobs: { content: this.tokens } })
    }
  }
}
