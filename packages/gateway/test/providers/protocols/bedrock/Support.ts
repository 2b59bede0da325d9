/** Calls to Bedrock, and what is sent for them. */
import { Result } from "effect"
import type { Deployment } from "../../../../src/core/domain/Deployment.ts"
import type { StreamEvent } from "../../../../src/core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../src/core/pool/Protocol.ts"
import { BedrockChat, BedrockProtocol } from "../../../../src/providers/protocols/bedrock/BedrockProtocol.ts"
import { callOf } from "../openai/Support.ts"

export const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
export const NOVA = "us.amazon.nova-lite-v1:0"

export const bedrockCall = (
  body: object,
  model: string,
  { maxOutput, ...changes }: Partial<Deployment> & { readonly maxOutput?: number } = {}
): UpstreamCall =>
  callOf(
    { messages: [{ role: "user", content: "Hi" }], ...body },
    { vendor: "bedrock", protocol: "bedrock", model, ...changes },
    maxOutput
  )

/** The request that goes up, and what was left out. */
export const sent = (call: UpstreamCall) => {
  const { body, dropped, path } = Result.getOrThrow(BedrockChat.lower(call))
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it is looking for
  return { body: JSON.parse(body) as any, dropped, path }
}

export const refused = (call: UpstreamCall) => Result.getOrThrow(Result.flip(BedrockChat.lower(call)))

/** What a stream becomes. */
export const streamed = (call: UpstreamCall, ...messages: ReadonlyArray<Uint8Array>): ReadonlyArray<StreamEvent> => {
  const lifter = BedrockChat.stream(call)
  const decoder = BedrockProtocol.framing.decoder()
  const events = messages.flatMap((message) => decoder.push(message).flatMap((event) => lifter.push(event)))
  return [...events, ...lifter.end()]
}
