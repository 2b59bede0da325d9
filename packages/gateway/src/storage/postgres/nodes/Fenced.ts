/** Others took this gateway for dead: what it held is theirs, and its open attempts are booked. */
import { Data } from "effect"

export class Fenced extends Data.TaggedError("Fenced") {}
