/** Other gateways declared this one dead: they hold its quota, and its open attempts are closed. */
import { Data } from "effect"

export class Fenced extends Data.TaggedError("Fenced") {}
