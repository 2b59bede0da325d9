/** Anthropic's own count, which is free: https://platform.claude.com/docs/en/build-with-claude/token-counting (2026-11-22). */
import { Result } from "effect"
import { truncated } from "../../../../core/domain/Failures.ts"
import { noUsage } from "../../../../core/domain/Usage.ts"
import type { Dialect } from "../../../../core/pool/Protocol.ts"
import { reportedFailure } from "../AnthropicErrors.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject } from "../../../json/LooseJson.ts"
import { wireRequest } from "./AnthropicMessagesRequest.ts"
import { stream } from "./AnthropicMessagesStream.ts"

export const AnthropicCount: Dialect = {
  lower: (call) => wireRequest({ ...call, strict: false }, "/messages/count_tokens", {}),
  lift: (text) => {
    const body = parseJson(text)
    if (isObject(body) && body["type"] === "error") return Result.fail(reportedFailure(body))
    return isObject(body) && typeof body["input_tokens"] === "number"
      ? Result.succeed({ body, text, usage: noUsage })
      : Result.fail(truncated("the provider's response is not a count"))
  },
  stream
}
