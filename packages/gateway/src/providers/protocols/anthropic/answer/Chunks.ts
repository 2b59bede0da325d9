/** Writes the chunks of one streamed answer. */
export { Chunks } from "../../../ChatChunks.ts"
