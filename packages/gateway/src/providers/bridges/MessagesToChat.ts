/** Anthropic's Messages API on models that speak chat completions. */
import { Predicate } from "effect"
import type { JsonObject } from "../../core/domain/Json.ts"
import type { Bridge } from "./Bridge.ts"
import { down } from "./messages/MessagesToChatRequest.ts"
import { up } from "./messages/MessagesToChatResult.ts"
import { upStream } from "./messages/MessagesToChatStream.ts"

const NAMES = new Map([
  ["max_completion_tokens", "max_tokens"],
  ["response_format", "output_config.format"],
  ["stop", "stop_sequences"]
])

/** An effort comes from the effort that the caller names, or from a budget of tokens. */
const effortName = ({ output_config: config }: JsonObject): string =>
  Predicate.hasProperty(config, "effort") ? "output_config.effort" : "thinking"

export const MessagesToChat: Bridge = {
  from: "messages",
  to: "chat",
  down,
  nameOf: (param, { request }) =>
    param === "reasoning_effort" ? effortName(request.body) : (NAMES.get(param) ?? param),
  up,
  upStream
}
