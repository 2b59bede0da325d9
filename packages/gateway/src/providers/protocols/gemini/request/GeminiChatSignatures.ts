/**
 * Signatures of thoughts. Gemini 3 answers 400 to a tool call in the history without the signature it gave with it
 * (https://ai.google.dev/gemini-api/docs/thought-signatures, 2026-11-22). The chat API has no field for it, so tool calls and
 * messages carry it as those of Google's own compatible API do: `extra_content.google.thought_signature`.
 */
import { objectOf, textOf, type JsonObject } from "../../../json/LooseJson.ts"

/** Stands for the signature of a call that another model made, or whose signature a client has lost (same page). */
export const SKIP = "skip_thought_signature_validator"

/** What the gateway has sealed for another provider, in base64. */
const SEALED = /^Z3c[xy]/

/** What goes out to the caller; nothing where there is no signature. */
export const signed = (signature: unknown): JsonObject =>
  textOf(signature) === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }

/** What came back; of a message or of a tool call. */
export const signatureOf = (fields: JsonObject): JsonObject => {
  const signature = textOf(objectOf(objectOf(fields["extra_content"])?.["google"])?.["thought_signature"])
  return signature === undefined || SEALED.test(signature) ? {} : { thoughtSignature: signature }
}

/** Of several calls at once Google signs the first. Where none is signed, all come from elsewhere. */
export const withSignatures = (calls: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> =>
  calls.some((call) => call["thoughtSignature"] !== undefined)
    ? calls
    : calls.map((call) => ({ ...call, thoughtSignature: SKIP }))
