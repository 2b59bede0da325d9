/** The text of a response in one piece. */
import type { ResponseObject } from "./wire/Responses.ts"

export interface OutputText {
  /** All text that the model wrote, without its reasoning and its calls of tools; "" where there is none. */
  readonly output_text: string
}

export const withOutputText = <Response extends Pick<ResponseObject, "output">>(
  response: Response
): Response & OutputText => ({
  ...response,
  output_text: response.output.flatMap((item) => (item["type"] === "message" ? partsOf(item["content"]) : [])).join("")
})

const partsOf = (content: unknown): ReadonlyArray<string> =>
  Array.isArray(content)
    ? content.flatMap(({ text, type }: { readonly type?: unknown; readonly text?: unknown }) =>
        type === "output_text" && typeof text === "string" ? [text] : []
      )
    : []
