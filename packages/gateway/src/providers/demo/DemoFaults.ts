/** Misbehaviour on request: the model's name says what goes wrong. */

export type Fault =
  | { readonly kind: "none" }
  /** The first `times` calls with the same prompt get a 500. */
  | { readonly kind: "flaky"; readonly times: number }
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "slow"; readonly ms: number }
  /** The connection breaks after so many events; a plain answer breaks in the middle of its body. */
  | { readonly kind: "cut"; readonly events: number }
  | { readonly kind: "hang" }
  /** A 200 with bytes that are neither JSON nor events, nor UTF-8. */
  | { readonly kind: "garbage" }

const NAME = /^(flaky|status|slow|cut)-(\d{1,6})$/

/** The fault that a model name asks for; undefined when it asks for none. */
export const readFault = (model: string): Fault | undefined => {
  if (model === "hang" || model === "garbage") return { kind: model }
  const [, kind, digits] = NAME.exec(model) ?? []
  const number = Number(digits)
  switch (kind) {
    case "flaky":
      return { kind, times: number }
    case "status":
      return number >= 200 && number <= 599 ? { kind, status: number } : undefined
    case "slow":
      return { kind, ms: number }
    case "cut":
      return { kind, events: number }
    default:
      return undefined
  }
}

export const garbage: Uint8Array = Uint8Array.from([
  0x3c, 0xff, 0xfe, 0x00, 0x7b, 0x22, 0xc3, 0x28, 0x0a, 0x0a, 0xf0, 0x9f
])
