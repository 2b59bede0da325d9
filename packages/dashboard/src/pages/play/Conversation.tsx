/** One model's side: what was said, and of the last answer who gave it, why, and what it cost. */
import type { GatewayInfo } from "@model-gateway/protocol"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { ApiError } from "../../api/Api.ts"
import { asApiError } from "../../api/Query.ts"
import { exactUsd } from "../../Format.ts"
import { Card, Failure, Link } from "../../parts/Parts.tsx"
import { chat, type Message, type Told } from "./Chat.ts"

type End = "stopped" | typeof GatewayInfo.Type

export const Conversation = (props: {
  readonly secret: string
  readonly model: string
  readonly asked: { readonly round: number; readonly content: string } | undefined
  /** The choice of the model. */
  readonly children: ComponentChildren
}) => {
  const { asked, model, secret } = props
  const [messages, setMessages] = useState<ReadonlyArray<Message>>([])
  const [told, setTold] = useState<Told | undefined>(undefined)
  const [end, setEnd] = useState<End | undefined>(undefined)
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  /** A side that is opened later begins with the next prompt. */
  const taken = useRef(asked?.round ?? 0)
  const under = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => under.current?.abort(), [])
  useEffect(() => {
    if (asked === undefined || asked.round === taken.current) return
    taken.current = asked.round
    under.current?.abort()
    const stop = new AbortController()
    under.current = stop
    const isCurrent = () => under.current === stop
    const before: ReadonlyArray<Message> = [...messages, { role: "user", content: asked.content }]
    let text = ""
    setMessages(before)
    setTold(undefined)
    setEnd(undefined)
    setError(undefined)
    setBusy(true)
    chat(secret, { model, messages: before }, stop.signal, {
      told: (heard) => isCurrent() && setTold(heard),
      text: (piece) => {
        text += piece
        if (isCurrent()) setMessages([...before, { role: "assistant", content: text }])
      }
    })
      .then((info) => isCurrent() && setEnd(info))
      .catch((cause: unknown) => {
        if (!isCurrent()) return
        if (stop.signal.aborted) setEnd("stopped")
        else setError(asApiError(cause))
      })
      .finally(() => isCurrent() && setBusy(false))
  }, [asked])
  return (
    <Card
      title="Conversation"
      aside={
        <span class="row">
          {isBusy ? (
            <button type="button" onClick={() => under.current?.abort()}>
              Stop
            </button>
          ) : messages.length === 0 ? null : (
            <button type="button" onClick={() => setMessages([])}>
              Start over
            </button>
          )}
          {props.children}
        </span>
      }
    >
      <ol class="said-all" aria-live="polite">
        {messages.map(({ content, role }, index) => (
          <li key={index} class={role}>
            <span class="muted">{role === "user" ? "You" : "Answer"}</span>
            <p>{content}</p>
          </li>
        ))}
      </ol>
      {error === undefined ? null : <Failure error={error} />}
      {told === undefined ? null : <Facts told={told} end={end} />}
    </Card>
  )
}

/** The five headers. A stream's cost is known once it has ended. */
const Facts = ({ end, told }: { readonly told: Told; readonly end: End | undefined }) => {
  const last = end === undefined || end === "stopped" ? undefined : end
  const receipt = last?.receipt_id ?? told.receiptId
  return (
    <dl class="facts told">
      <dt>Served by</dt>
      <dd class="mono">{last?.decision ?? told.decision}</dd>
      <dt>Bucket, score</dt>
      <dd>{told.bucket === "none" ? "the model was named" : `${told.bucket}, ${told.score}`}</dd>
      <dt>Retries</dt>
      <dd>{last?.retries ?? told.retries}</dd>
      <dt>Cost</dt>
      <dd data-cost>
        {last !== undefined
          ? exactUsd(last.cost_usd)
          : end === "stopped"
            ? "in the receipt"
            : "known when the response ends"}
      </dd>
      {receipt === null ? null : (
        <>
          <dt>Receipt</dt>
          <dd>
            <Link to={`requests/${receipt}`}>{receipt}</Link>
          </dd>
        </>
      )}
    </dl>
  )
}
