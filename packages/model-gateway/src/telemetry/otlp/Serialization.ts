/** The form in which a signal is sent. */
import { OtlpSerialization } from "effect/observability"
import type { OtlpTarget } from "./OtlpSettings.ts"

export const serializationOf = ({ protocol }: OtlpTarget) =>
  protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
