/** Instructions within a conversation, for models that take them at its top alone: moving them there would break prompt caches. */
import type { JsonObject } from "../../../core/domain/Json.ts"

/** `blocks`: their texts are marked in the way that Claude Code marks what the user did not write. */
export const reminders = (blocks: ReadonlyArray<JsonObject>): Array<JsonObject> =>
  blocks.map((block) => (typeof block["text"] === "string" ? { ...block, text: reminder(block["text"]) } : block))

export const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`
