/** The small parts that all pages are made of. */
import { Component, type ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { ApiError } from "../api/Api.ts"
import type { Query } from "../api/Query.ts"
import { go, uiPath } from "../Place.ts"

/** A link within the dashboard. The browser's own ways of opening links elsewhere go on working. */
export const Link = (props: {
  readonly to: string
  readonly class?: string
  readonly current?: boolean
  readonly children: ComponentChildren
}) => (
  <a
    href={uiPath + props.to}
    class={props.class}
    aria-current={props.current === true ? "page" : undefined}
    onClick={(event) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      go(props.to)
    }}
  >
    {props.children}
  </a>
)

export const Head = (props: { readonly title: string; readonly children?: ComponentChildren }) => {
  const title = props.title.replaceAll(TURNING, "")
  useEffect(() => {
    document.title = `${title} · Model Gateway`
  }, [title])
  return (
    <header class="head">
      <h1>
        <bdi>{title}</bdi>
      </h1>
      <div class="actions">{props.children}</div>
    </header>
  )
}

export const Card = (props: {
  readonly title: string
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section class="card">
    <div class="card-head">
      <h2>{props.title}</h2>
      {props.aside}
    </div>
    {props.children}
  </section>
)

export const Failure = (props: { readonly error: ApiError; readonly retry?: () => void }) => (
  <div class="failure" role="alert">
    <p>{props.error.message}</p>
    {props.error.requestId === null ? null : <p class="muted">Request {props.error.requestId}</p>}
    {props.retry === undefined ? null : <button onClick={props.retry}>Try again</button>}
  </div>
)

export const Loading = () => (
  <div class="loading" role="status">
    <span class="bone" />
    <span class="bone" />
    <span class="bone" />
    <span class="unseen">Loading …</span>
  </div>
)

/** Nothing is there yet: what it is, and how to get some. */
export const Empty = (props: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p class="strong">{props.title}</p>
    {props.children}
  </div>
)

/** Characters that turn the order of others around: with them a name could read as another one. */
export const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** What people call something, who may write from right to left, or for long. */
export const Name = (props: { readonly of: string }) => (
  <bdi class="name" title={props.of}>
    {props.of.replaceAll(TURNING, "")}
  </bdi>
)

/** What is within may not find what it expects: then that is said, and the rest of the page stays. */
export class Boundary extends Component<{ readonly children: ComponentChildren }, { readonly cause: unknown }> {
  override state: { readonly cause: unknown } = { cause: undefined }

  override componentDidCatch(cause: unknown): void {
    this.setState({ cause })
  }

  override render() {
    if (this.state.cause === undefined) return this.props.children
    const message = `This page can't be shown: the gateway's response is not as expected (${String(this.state.cause)}).`
    return <Failure error={new ApiError(message, 0, null)} retry={() => this.setState({ cause: undefined })} />
  }
}

/** Whichever there is: the content, why there is none, or that it is on its way. */
export const Answer = <A,>(props: { readonly query: Query<A>; readonly children: (data: A) => ComponentChildren }) => {
  const { data, error, isOld, reload } = props.query
  return (
    <>
      {error === undefined ? null : <Failure error={error} retry={reload} />}
      {data === undefined ? (
        error === undefined ? (
          <Loading />
        ) : null
      ) : (
        <div class={isOld ? "old" : undefined} aria-busy={isOld}>
          {props.children(data)}
        </div>
      )}
    </>
  )
}

export type Tone = "good" | "bad" | "warn" | "calm"

/** By what became of a deployment that was thought of; the others are calm. */
const fates: Record<string, Tone> = { chosen: "good", unhealthy: "bad", filtered: "warn" }

export const fateTone = (fate: string): Tone => fates[fate] ?? "calm"

export const Badge = (props: { readonly tone: Tone; readonly children: ComponentChildren }) => (
  <span class={`badge ${props.tone}`}>{props.children}</span>
)

export const statusTone = (status: string): Tone =>
  status === "ok" || status === "active" || status === "in_rotation"
    ? "good"
    : status === "failed" || status === "cut" || status === "abandoned" || status === "revoked"
      ? "bad"
      : status === "refused" || status === "blocked" || status === "expired" || status === "suspended"
        ? "warn"
        : "calm"

/** A share of a whole, as a bar with its figure beside it. */
export const Meter = (props: { readonly share: number; readonly label: string }) => (
  <span class="meter" role="img" aria-label={props.label}>
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="6" rx="3" />
      <rect
        class={props.share >= 1 ? "fill bad" : props.share >= 0.8 ? "fill warn" : "fill"}
        width={Math.min(100, Math.max(0, props.share * 100))}
        height="6"
        rx="3"
      />
    </svg>
  </span>
)

export const Copy = (props: { readonly text: string; readonly label: string }) => {
  const [isCopied, setCopied] = useState(false)
  return (
    <button
      type="button"
      onClick={() => {
        void navigator.clipboard.writeText(props.text).then(() => setCopied(true))
      }}
    >
      {isCopied ? "Copied" : props.label}
    </button>
  )
}

/** The browser's own dialog: it holds the focus, closes with Escape, and gives the focus back. */
export const Dialog = (props: {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} onClose={props.close} aria-labelledby="dialog-title">
      <h2 id="dialog-title">{props.title}</h2>
      {props.children}
    </dialog>
  )
}

/** One of a few, as buttons. */
export const Choice = <A extends string>(props: {
  readonly label: string
  readonly of: ReadonlyArray<A>
  readonly chosen: A
  readonly choose: (one: A) => void
}) => (
  <div class="segments" role="group" aria-label={props.label}>
    {props.of.map((one) => (
      <button key={one} type="button" aria-pressed={one === props.chosen} onClick={() => props.choose(one)}>
        {one}
      </button>
    ))}
  </div>
)
