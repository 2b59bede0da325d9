/** What an answer and all events of a stream say about it. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { textOf } from "../../../json/LooseJson.ts"

export interface Head {
  readonly id: string
  /** Seconds. */
  readonly created: number
  readonly model: string
}

export const headOf = (response: JsonObject, { deployment, now }: UpstreamCall): Head => ({
  id: `chatcmpl-${textOf(response["responseId"]) ?? `${deployment.id}-${now}`}`,
  created: Math.floor(now / 1_000),
  model: textOf(response["modelVersion"]) ?? deployment.model
})
