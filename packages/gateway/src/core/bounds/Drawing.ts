/** Image models may draw in any chat response, unless the request limits the output to text. */
import type { CallRequest } from "../operations/CallRequest.ts"

export const mayDraw = ({ body: { modalities } }: Pick<CallRequest, "body">): boolean =>
  !Array.isArray(modalities) || modalities.length === 0 || modalities.some((one) => one !== "text")
