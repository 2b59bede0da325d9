/** For dialects of operations that are never streamed. */
import type { StreamLifter } from "../../../core/pool/Protocol.ts"

export const unstreamed = (): StreamLifter => ({ push: () => [], end: () => [] })
