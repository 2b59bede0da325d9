/** How a family of models counts what it is sent. */
import type { Page } from "./Media.ts"

export interface Rules {
  readonly text: (text: string) => number
  /** Beside the text: for each message, each name, each request, and where there are tools. */
  readonly message: number
  readonly name: number
  readonly request: number
  readonly tools: number
  readonly image: (width: number, height: number, detail: string) => number
  readonly page: (page: Page) => number
  /** Tokens of so many seconds; undefined where the family takes none. */
  readonly audio: ((seconds: number) => number) | undefined
  readonly video: ((seconds: number) => number) | undefined
}
