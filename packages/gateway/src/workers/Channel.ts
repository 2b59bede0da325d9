/**
 * Between the process that owns the store and one worker: calls with answers, and words that need none. What one turn of the event
 * loop has to say goes as one message, in its order.
 */
import { Cause, Effect, Exit, Option } from "effect"
import { Slots } from "../core/collections/Slots.ts"
import { StoreUnavailable } from "../core/domain/Errors.ts"
import type { NameOf, Names } from "../storage/records/receipts/PageNames.ts"
import { type Fresh, TextsHeard, TextsTold } from "./Texts.ts"

type CallFrame = readonly ["call", id: number, name: string, given: ReadonlyArray<unknown>]
type TellFrame = readonly ["tell", name: string, given: ReadonlyArray<unknown>]

type Frame =
  | CallFrame
  | TellFrame
  | readonly ["done", id: number, value?: unknown]
  | readonly ["failed", id: number, message: string]

type Said = readonly [frames: ReadonlyArray<Frame>, fresh?: Fresh]

type Resume<A> = (exit: Exit.Exit<A, StoreUnavailable>) => void

/** JSON where nothing would be lost in it, as in nearly all: V8's own format takes twice its time. */
export type Message = string | Said

/** Sends one message; `done` is called when the system has it, so that not even the end of this process takes it back. */
export type Send = (message: Message, done: () => void) => void

/**
 * A part of what is said that names its texts by number: put into words as it is sent, and read with `Channel.names`. Words are arrays of
 * finite numbers and texts; null and undefined are the same in them.
 */
export class InWords {
  readonly words: (name: NameOf) => unknown

  constructor(words: (name: NameOf) => unknown) {
    this.words = words
  }
}

/** Those of one name that follow each other in a message: one frame, and one answer for all that are waited for. */
class Gathering {
  readonly name: string
  readonly items: Array<InWords> = []
  readonly waiting: Array<Resume<void>> = []
  /** Of the call, as soon as somebody waits. */
  id: number | undefined

  constructor(name: string) {
    this.name = name
  }

  readonly end: Resume<unknown> = (exit) => {
    const failures = Exit.isSuccess(exit) ? (exit.value as Failures) : undefined
    for (const [index, resume] of this.waiting.entries()) {
      const failure = failures?.[index] ?? null
      if (Exit.isFailure(exit)) resume(exit)
      else resume(failure === null ? Exit.void : Exit.fail(new StoreUnavailable({ message: failure })))
    }
  }
}

/** Why it could not be done, for each that is waited for, in their order; undefined where all of it was done. */
export type Failures = ReadonlyArray<string | null> | undefined

type Handler = (...given: ReadonlyArray<never>) => Effect.Effect<unknown, StoreUnavailable>
type Listener = (...given: ReadonlyArray<never>) => void

/**
 * Turns of the event loop for which something waits for company: a message costs the process that it wakes more than what is in it. A
 * loop that has nothing to do takes microseconds for a turn.
 */
const PATIENCE = 2

const GONE = new StoreUnavailable({ message: "The process that owns the store is gone." })

export class Channel {
  private readonly send: Send
  private readonly run: (effect: Effect.Effect<void>) => void
  private readonly handlers = new Map<string, Handler>()
  private readonly listeners = new Map<string, Listener>()
  private readonly pending = new Slots<Resume<unknown>>()
  private readonly told = new TextsTold()
  private readonly heard = new TextsHeard()
  private frames: Array<Frame | Gathering> = []
  /** It goes behind what is gathered, which it would tear apart. */
  private mentioned: Array<Frame> = []
  /** Something waits to be sent. */
  private isWaiting = false
  /** Turns of the event loop that it may wait. */
  private patience = 0
  /** What came while this side still starts. */
  private early: Array<CallFrame | TellFrame> = []
  private sent: Array<() => void> = []
  private isOpen = true

  constructor(send: Send, run: (effect: Effect.Effect<void>) => void) {
    this.send = send
    this.run = run
  }

  /** Answers calls of this name. */
  answer(name: string, handler: Handler): void {
    this.handlers.set(name, handler)
    this.takeEarly((frame) => frame[0] === "call" && frame[2] === name)
  }

  listen(name: string, listener: Listener): void {
    this.listeners.set(name, listener)
    this.takeEarly((frame) => frame[0] === "tell" && frame[1] === name)
  }

  tell(name: string, ...given: ReadonlyArray<unknown>): void {
    this.post(["tell", name, given])
  }

  /** For what nobody waits for: where more follows soon, it goes along. What is gathered later may go before it. */
  mention(name: string, ...given: ReadonlyArray<unknown>): void {
    if (!this.isOpen) return
    this.begin(PATIENCE)
    this.mentioned.push(["tell", name, given])
  }

  /** One of many, told in their order. */
  gather(name: string, item: InWords): void {
    this.gathering(name, 0)?.items.push(item)
  }

  /** One of many that somebody waits for. The answer takes a while anyway: where more follows soon, it goes along. */
  gathered(name: string, item: InWords): Effect.Effect<void, StoreUnavailable> {
    return Effect.callback<void, StoreUnavailable>((resume) => {
      const gathering = this.gathering(name, PATIENCE)
      if (gathering === undefined) return resume(Effect.fail(GONE))
      gathering.id ??= this.pending.put(gathering.end)
      gathering.items.push(item)
      gathering.waiting.push(resume)
    })
  }

  /** Completes when all that was told so far can't be lost with this process any more. */
  readonly handedOver: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (!this.isWaiting || !this.isOpen) return resume(Effect.void)
    this.sent.push(() => resume(Effect.void))
  })

  call(name: string, ...given: ReadonlyArray<unknown>): Effect.Effect<unknown, StoreUnavailable> {
    return Effect.callback<unknown, StoreUnavailable>((resume) => {
      if (!this.isOpen) return resume(Effect.fail(GONE))
      this.post(["call", this.pending.put(resume), name, given])
    })
  }

  /** What numbers stand for, in handlers and listeners as they are called. */
  get names(): Names {
    return this.heard.names
  }

  /** A message of the other side. */
  received(message: Message): void {
    const [frames, fresh] = typeof message === "string" ? (JSON.parse(message) as Said) : message
    if (fresh !== undefined) this.heard.hear(fresh)
    for (const frame of frames) this.take(frame)
  }

  /** There is no other side any more. */
  close(): void {
    this.isOpen = false
    for (const resume of this.pending.takeAll()) resume(Exit.fail(GONE))
    for (const done of this.sent) done()
    this.sent = []
  }

  private takeEarly(isMeant: (frame: CallFrame | TellFrame) => boolean): void {
    const meant = this.early.filter(isMeant)
    if (meant.length === 0) return
    this.early = this.early.filter((frame) => !meant.includes(frame))
    for (const frame of meant) this.take(frame)
  }

  private take(frame: Frame): void {
    switch (frame[0]) {
      case "tell": {
        const listener = this.listeners.get(frame[1])
        return listener === undefined ? void this.early.push(frame) : listener(...(frame[2] as ReadonlyArray<never>))
      }
      case "done":
        return this.end(frame[1], frame.length === 2 ? Exit.void : Exit.succeed(unpacked(frame[2])))
      case "failed":
        return this.end(frame[1], Exit.fail(new StoreUnavailable({ message: frame[2] })))
      case "call": {
        const [, id, name, given] = frame
        const handler = this.handlers.get(name)
        if (handler === undefined) return void this.early.push(frame)
        const asked = handler(...(given as ReadonlyArray<never>))
        return this.run(
          Effect.map(Effect.exit(asked), (exit) =>
            this.post(Exit.isSuccess(exit) ? doneWith(id, exit.value) : ["failed", id, reasonOf(exit.cause)])
          )
        )
      }
    }
  }

  private end(id: number, exit: Exit.Exit<unknown, StoreUnavailable>): void {
    this.pending.take(id)?.(exit)
  }

  private gathering(name: string, patience: number): Gathering | undefined {
    if (!this.isOpen) return undefined
    const last = this.frames.at(-1)
    this.begin(patience)
    if (last instanceof Gathering && last.name === name) return last
    const made = new Gathering(name)
    this.frames.push(made)
    return made
  }

  private post(frame: Frame): void {
    if (!this.isOpen) return
    this.begin(0)
    this.frames.push(...this.mentioned, frame)
    this.mentioned = []
  }

  /** Something is to be sent within so many turns. */
  private begin(patience: number): void {
    if (!this.isWaiting) {
      this.isWaiting = true
      this.patience = patience
      setImmediate(this.turn)
    } else if (patience < this.patience) this.patience = patience
  }

  private readonly turn = (): void => {
    if (this.patience === 0) return this.flush()
    this.patience--
    setImmediate(this.turn)
  }

  private flush(): void {
    const { sent } = this
    const frames = [...this.frames, ...this.mentioned]
    this.frames = []
    this.mentioned = []
    this.sent = []
    this.isWaiting = false
    const done = () => {
      for (const one of sent) one()
    }
    if (!this.isOpen) return done()
    const said = frames.map((frame) => this.said(frame))
    const fresh = this.told.fresh()
    const message: Said = fresh === undefined ? [said] : [said, fresh]
    this.send(frames.every(isPlain) ? JSON.stringify(message) : message, done)
  }

  private said(frame: Frame | Gathering): Frame {
    if (frame instanceof Gathering) {
      const { id, items, name } = frame
      const given = [this.inWords(items)]
      return id === undefined ? ["tell", name, given] : ["call", id, name, given]
    }
    if (frame[0] === "tell") return ["tell", frame[1], this.inWords(frame[2])]
    if (frame[0] === "call") return ["call", frame[1], frame[2], this.inWords(frame[3])]
    return frame
  }

  private inWords(given: ReadonlyArray<unknown>): ReadonlyArray<unknown> {
    const { name } = this.told
    return given.map((one) => (one instanceof InWords ? one.words(name) : one))
  }
}

/** Whether it is the same after JSON. */
const isPlain = (frame: Frame | Gathering): boolean => {
  if (frame instanceof Gathering) return true
  if (frame[0] === "tell") return frame[2].every(isWords)
  if (frame[0] === "call") return frame[3].every(isWords)
  return frame[0] === "failed" || frame.length === 2
}

const isWords = (given: unknown): boolean =>
  given instanceof InWords || typeof given === "string" || Number.isSafeInteger(given)

const reasonOf = (cause: Cause.Cause<StoreUnavailable>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

/** Nearly all calls only want to know that it is done. */
const doneWith = (id: number, value: unknown): Frame =>
  value === undefined ? ["done", id] : ["done", id, packed(value)]

/** Options are objects of a class: what crosses between processes has none. */
const packed = (value: unknown): unknown =>
  Option.isOption(value) ? { option: Option.isSome(value) ? [value.value] : [] } : { value }

const unpacked = (value: unknown): unknown => {
  const answer = value as { readonly option?: ReadonlyArray<unknown>; readonly value?: unknown }
  if (answer.option === undefined) return answer.value
  return answer.option.length === 0 ? Option.none() : Option.some(answer.option[0])
}
