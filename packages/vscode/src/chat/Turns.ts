/** A conversation and an answer, in plain values. */

export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "data"; readonly mimeType: string; readonly data: Uint8Array }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly input: object }
  | { readonly kind: "result"; readonly id: string; readonly parts: ReadonlyArray<Part> }

export interface Turn {
  readonly role: "user" | "assistant" | "system"
  readonly parts: ReadonlyArray<Part>
}

/** What an answer is made of, as it comes. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly input: object }
  | { readonly kind: "usage"; readonly usage: object }

export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema. */
  readonly inputSchema: object | undefined
}

export interface Asked {
  readonly turns: ReadonlyArray<Turn>
  readonly tools: ReadonlyArray<Tool>
  /** The model must call one. */
  readonly mustCall: boolean
  /** What the extension that asks wants of the model. */
  readonly options: Readonly<Record<string, unknown>>
  /** What was chosen for the model in the picker. */
  readonly chosen: Readonly<Record<string, unknown>>
}
