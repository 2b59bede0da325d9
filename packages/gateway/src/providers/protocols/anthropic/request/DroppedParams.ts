/** Collects what is dropped of a request, and the first problem that makes it impossible. */
export { Losses } from "../../../Losses.ts"
