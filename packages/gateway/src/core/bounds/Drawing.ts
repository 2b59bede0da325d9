/** Models that draw do so in chats, asked or not, unless they are told to answer in text alone. */
import type { CallRequest } from "../operations/CallRequest.ts"

export const mayDraw = ({ body: { modalities } }: Pick<CallRequest, "body">): boolean =>
  !Array.isArray(modalities) || modalities.length === 0 || modalities.some((one) => one !== "text")
