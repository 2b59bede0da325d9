/** What there is to do until a gateway is in use: shown until the first request. */
import type { Info, Overview as Lists } from "@model-gateway/protocol"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Card, Link } from "../../parts/Parts.tsx"
import { gatewayPath } from "../../Place.ts"

const HIDDEN = "model-gateway-checklist"

const base = `${location.origin}${gatewayPath}v1`

export const Checklist = ({ info, lists }: { readonly info: Info; readonly lists: Lists | undefined }) => {
  const [isHidden, setHidden] = useState(localStorage.getItem(HIDDEN) === "hidden")
  const hasBudget = (lists?.budgets.length ?? 0) > 0
  // A gateway that is set up and has a quiet day needs no advice.
  const isSetUp = !info.demo && (info.keys ?? 0) > 0 && hasBudget
  if (isHidden || isSetUp) return null
  const hide = () => {
    localStorage.setItem(HIDDEN, "hidden")
    setHidden(true)
  }
  return (
    <Card title="Get started" aside={<button onClick={hide}>Hide</button>}>
      <ol class="steps">
        <Step isDone={!info.demo} title="A provider">
          {info.demo ? (
            <>
              Only the demo provider is configured. <code>model-gateway init</code> writes a configuration for your
              providers.
            </>
          ) : (
            <>
              <Link to="deployments">Deployments</Link> are configured.
            </>
          )}
        </Step>
        <Step isDone={(info.keys ?? 0) > 0} title="A key">
          <Link to="keys">Create one</Link>, or <code>model-gateway keys create --name ci</code>.
        </Step>
        <Step isDone={false} title="A request">
          Point any OpenAI client at <code>{base}</code> with the key, or try the <Link to="play">playground</Link>.
        </Step>
        <Step isDone={hasBudget} title="A budget">
          Set one for a <Link to="keys">key</Link> or a <Link to="teams">team</Link>: a request that could exceed it is
          refused before it is sent.
        </Step>
        <Step isDone={info.alerts > 0} title="An alert">
          <code>alerts</code> in the configuration notify a webhook of exhausted budgets and open circuits;{" "}
          <code>model-gateway alerts test</code> sends a test.
        </Step>
      </ol>
    </Card>
  )
}

const Step = (props: { readonly isDone: boolean; readonly title: string; readonly children: ComponentChildren }) => (
  <li class={props.isDone ? "done" : undefined}>
    <span class="tick" aria-hidden="true">
      {props.isDone ? "✓" : ""}
    </span>
    <span>
      <b>{props.title}</b>
      <span class="unseen">{props.isDone ? " (done)" : " (to do)"}</span>
      <br />
      <span class="muted">{props.children}</span>
    </span>
  </li>
)
