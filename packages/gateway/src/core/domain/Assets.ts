/** Data that is read at run time: in the package's `assets`, or beside the code of a bundle. */
import { existsSync } from "node:fs"

export const assetAt = (name: string): URL => {
  const beside = new URL(`./${name}`, import.meta.url)
  return existsSync(beside) ? beside : new URL(`../../../assets/${name}`, import.meta.url)
}
