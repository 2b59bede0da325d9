/** The content of one request while it runs: references to what its caller sent and is sent. */
import type { CallRequest } from "@model-gateway/gateway/internal/core/operations/CallRequest"
import type { LiftedAnswer, StreamEvent } from "@model-gateway/gateway/internal/core/operations/LiftedAnswer"
import type { Operation } from "@model-gateway/gateway/internal/core/operations/Operation"
import type { ContentCapture as Capture } from "@model-gateway/gateway/internal/core/receipts/ContentLog"
import type { Receipt } from "@model-gateway/gateway/internal/core/receipts/Receipt"
import type { LoggedContent } from "./ContentRecord.ts"

/** An event's JSON is longer than its text. */
const JSON_FOR_TEXT = 64

export class ContentCapture implements Capture {
  private readonly operation: Operation
  private readonly level: LoggedContent["level"]
  private readonly most: number
  private readonly log: (logged: LoggedContent, request: CallRequest) => void
  private response: LoggedContent["response"]
  private events: Array<string> = []
  private left: number

  constructor(
    operation: Operation,
    level: LoggedContent["level"],
    mostCharacters: number,
    log: (logged: LoggedContent, request: CallRequest) => void
  ) {
    this.operation = operation
    this.level = level
    this.most = this.left = mostCharacters * JSON_FOR_TEXT
    this.log = log
  }

  complete({ body, raw }: LiftedAnswer): void {
    this.response = raw?.contentType.startsWith("text/") === true ? { text: Buffer.from(raw.bytes).toString() } : body
  }

  begin(): void {
    this.events = []
    this.left = this.most
  }

  add(events: ReadonlyArray<StreamEvent>): void {
    for (const event of events) {
      if (event.kind !== "lifecycle" && event.kind !== "content" && event.kind !== "finish") continue
      this.left -= event.data.length
      if (this.left >= 0) this.events.push(event.data)
    }
  }

  ended(receipt: Receipt, request: CallRequest): void {
    const { events, left, level, operation, response } = this
    this.log({ receipt, operation, level, request: request.body, response, events, isCut: left < 0 }, request)
  }
}
