/** Anthropic's Messages API on models that speak chat completions. */
import type { Bridge } from "./Bridge.ts"
import { down } from "./messages/Request.ts"
import { up } from "./messages/Answer.ts"
import { upStream } from "./messages/Stream.ts"

export const MessagesToChat: Bridge = { from: "messages", to: "chat", down, up, upStream }
