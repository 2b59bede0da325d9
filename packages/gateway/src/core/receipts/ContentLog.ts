/** Where the contents of requests go, if the operator logs them. A port: the command implements it. */
import type { RequestContent } from "@model-gateway/protocol"
import { Context, type Effect } from "effect"
import type { ContentLevel } from "../domain/Settings.ts"
import type { Caller } from "../keys/Caller.ts"
import type { CallRequest } from "../operations/CallRequest.ts"
import type { LiftedAnswer, StreamEvent } from "../operations/LiftedAnswer.ts"
import type { Operation } from "../operations/Operation.ts"
import type { Receipt } from "./Receipt.ts"

/** Keeps what the caller of one request is sent. It runs on the hot path: it takes references, and must not throw. */
export interface ContentCapture {
  readonly complete: (answer: LiftedAnswer) => void
  /** A stream begins. It replaces what an earlier attempt sent. */
  readonly begin: () => void
  readonly add: (events: ReadonlyArray<StreamEvent>) => void
  readonly ended: (receipt: Receipt, request: CallRequest) => void
}

export interface ContentLog {
  /** `asked`: the most that the request's header allows. Undefined: the request is not logged. */
  readonly begin: (operation: Operation, caller: Caller, asked: ContentLevel | undefined) => ContentCapture | undefined
  /** Undefined: nothing is there, or not any more. */
  readonly find: (receipt: Receipt) => Effect.Effect<RequestContent | undefined>
}

/** Undefined: nothing is logged. */
export const ContentLog = Context.Reference<ContentLog | undefined>("gateway/core/ContentLog", {
  defaultValue: () => undefined
})
