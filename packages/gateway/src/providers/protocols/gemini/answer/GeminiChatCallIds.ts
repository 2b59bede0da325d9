/** Ids of the tool calls of one answer. Most calls come without one (215 of 237 recorded), and no two may share theirs. */
export class CallIds {
  private readonly answer: string
  private readonly given = new Set<string>()

  /** `answer`: an id of the answer, which makes those of its calls unique in a conversation. */
  constructor(answer: string) {
    this.answer = answer.replaceAll(/[^\w-]/g, "_").slice(0, 48)
  }

  next(own: string | undefined): string {
    const id = own === undefined || this.given.has(own) ? `call_${this.answer}_${this.given.size}` : own
    this.given.add(id)
    return id
  }
}
