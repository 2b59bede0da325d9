/** Which catalogue is in force, and how many files were refused, for metrics. */
import { Context } from "effect"

export class CatalogueStates {
  version = ""
  layer = "shipped"
  failures = 0
  private listener: (() => void) | undefined

  inForce(version: string, layer: string): void {
    this.version = version
    this.layer = layer
    this.listener?.()
  }

  failed(): void {
    this.failures++
  }

  /** `listener` is called now, and whenever another catalogue takes force. */
  follow(listener: () => void): void {
    this.listener = listener
    listener()
  }
}

export const CatalogueState = Context.Reference<CatalogueStates>("gateway/core/CatalogueState", {
  defaultValue: () => new CatalogueStates()
})
