/** One request: why it went where it went, what was tried, and what it cost. */
import type { ContentPart, Receipt, ReceiptAttempt, Refusal, RequestContent } from "@model-gateway/protocol"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { useQuery } from "../../api/Query.ts"
import { count, dateAndTime, duration, exactUsd, percent, short, words } from "../../Format.ts"
import {
  Answer,
  Badge,
  Card,
  Copy,
  fateTone,
  Head,
  Link,
  Meter,
  Name,
  statusTone,
  TURNING
} from "../../parts/Parts.tsx"
import { Scale, Weights } from "../../parts/Scale.tsx"
import { KeyLink } from "./Columns.tsx"
import { gatewayPath, pathWith } from "../../Place.ts"

/** `proof words +0.72`: a feature among the sentences, which has a list of its own. */
const WEIGHT = /^.+ [+-]\d+(?:\.\d+)?$/

export const RequestPage = ({ id }: { readonly id: string }) => {
  const query = useQuery<Receipt>(`requests/${encodeURIComponent(id)}`)
  return (
    <>
      <Head
        title={
          query.data === undefined
            ? "Request"
            : `Request ${query.data.requested_model === null ? id : `to ${query.data.requested_model}`}`
        }
      >
        <Copy text={id} label="Copy ID" />
        <Copy text={`model-gateway requests show ${id}`} label="Copy command" />
        <Copy
          text={`curl ${location.origin}${gatewayPath}admin/requests/${id} -H "Authorization: Bearer $GATEWAY_MASTER_KEY"`}
          label="Copy curl"
        />
      </Head>
      <Answer query={query}>{(receipt) => <Details receipt={receipt} />}</Answer>
    </>
  )
}

const Details = ({ receipt }: { readonly receipt: Receipt }) => {
  const { attempts, cost_usd, decision, duration_ms, error, refusal, status } = receipt
  const first = attempts.find(({ first_token_ms }) => first_token_ms !== null)?.first_token_ms ?? null
  return (
    <>
      <dl class="tiles">
        <Fact name="Status">
          <Badge tone={statusTone(status)}>{words(status)}</Badge>
        </Fact>
        {error === null ? null : <Fact name="Error">{words(error)}</Fact>}
        {refusal !== null ? null : (
          <>
            <Fact
              name={receipt.cache !== undefined ? "Cached from" : attempts.length === 0 ? "Intended for" : "Served by"}
            >
              {decision.deployment}
            </Fact>
            <Fact name="Cost">{exactUsd(cost_usd)}</Fact>
            <Fact name="First token">{duration(first)}</Fact>
          </>
        )}
        <Fact name="Duration">{duration(duration_ms)}</Fact>
      </dl>
      {refusal === null ? null : <Unrouted refusal={refusal} />}
      <FullBudget receipt={receipt} />
      <Guardrails receipt={receipt} />
      <Cached receipt={receipt} />
      <Content id={receipt.id} />
      {refusal !== null ? null : (
        <>
          <Why receipt={receipt} />
          <Attempts attempts={attempts} whole={duration_ms} />
        </>
      )}
      <div class="columns">
        {refusal === null ? <Usage receipt={receipt} /> : null}
        <Card title="Client">
          <dl class="facts">
            <dt>Time</dt>
            <dd title={receipt.at}>{dateAndTime(receipt.at)}</dd>
            <dt>Key</dt>
            <dd>
              <KeyLink one={receipt} />
            </dd>
            <dt>Key ID</dt>
            <dd class="mono">{receipt.key_id === "" ? "unknown" : receipt.key_id}</dd>
            <dt>Team</dt>
            <dd>{receipt.team === null ? "none" : <Name of={receipt.team} />}</dd>
            <dt>Endpoint</dt>
            <dd>{receipt.endpoint ?? "none"}</dd>
            <dt>End user</dt>
            <dd>
              {receipt.end_user === undefined ? (
                "none"
              ) : (
                <Link to={pathWith("requests", { end_user: receipt.end_user })}>
                  <Name of={receipt.end_user} />
                </Link>
              )}
            </dd>
            <dt>Session</dt>
            <dd class="mono">
              {receipt.session_id === null ? (
                "none"
              ) : (
                <Link to={pathWith("requests", { session: receipt.session_id })}>
                  <Name of={receipt.session_id} />
                </Link>
              )}
            </dd>
            <dt>Stream</dt>
            <dd>{receipt.stream ? "yes" : "no"}</dd>
            <dt>Tags</dt>
            <dd>{receipt.tags.length === 0 ? "none" : receipt.tags.join(", ")}</dd>
            <dt>Feedback</dt>
            <dd>{receipt.feedback === null ? "none given" : `${receipt.feedback.score} of 1`}</dd>
            <dt>Receipt</dt>
            <dd class="mono">{receipt.id}</dd>
          </dl>
        </Card>
      </div>
    </>
  )
}

const Cached = ({ receipt: { cache } }: { readonly receipt: Receipt }) =>
  cache === undefined ? null : (
    <Card title="Response cache">
      <dl class="facts">
        <dt>Age</dt>
        <dd>{duration(cache.age_ms)}</dd>
        <dt>Saved</dt>
        <dd>{exactUsd(cache.saved_usd)}</dd>
        <dt>First request</dt>
        <dd class="mono">
          <Link to={`requests/${cache.from_receipt}`}>{cache.from_receipt}</Link>
        </dd>
      </dl>
    </Card>
  )

const VERDICTS = {
  pass: "passed",
  flag: "flagged",
  mask: "masked",
  deny: "denied",
  error_allowed: "failed, allowed",
  error_denied: "failed, denied"
}

const Guardrails = ({ receipt: { guardrails = [] } }: { readonly receipt: Receipt }) =>
  guardrails.length === 0 ? null : (
    <Card title="Guardrails">
      <table>
        <thead>
          <tr>
            <th>Check</th>
            <th>Stage</th>
            <th>Action</th>
            <th>Matches</th>
          </tr>
        </thead>
        <tbody>
          {guardrails.map(({ action, check, rules, stage }) => (
            <tr key={`${stage} ${check}`}>
              <td>{check}</td>
              <td>{stage}</td>
              <td>{VERDICTS[action]}</td>
              <td>
                {Object.entries(rules)
                  .map(([rule, times]) => `${rule} ${times}`)
                  .join(", ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )

/** Read on demand: each read is an entry of the audit log. */
const Content = ({ id }: { readonly id: string }) => {
  const [isShown, setShown] = useState(false)
  const query = useQuery<RequestContent>(isShown ? `requests/${encodeURIComponent(id)}/content` : undefined)
  return (
    <Card title="Content">
      {isShown ? (
        <Answer query={query}>{(content) => <Messages content={content} />}</Answer>
      ) : (
        <button type="button" onClick={() => setShown(true)}>
          Show prompt and response
        </button>
      )}
    </Card>
  )
}

const Messages = ({ content: { cut, input, output, system } }: { readonly content: RequestContent }) => (
  <>
    {cut ? <p>Only the beginning was logged.</p> : null}
    {system.length === 0 ? null : <Parts title="system" parts={system} />}
    {[...input, ...output].map(({ parts, role }, index) => (
      <Parts key={index} title={role} parts={parts} />
    ))}
  </>
)

const Parts = ({ parts, title }: { readonly title: string; readonly parts: ReadonlyArray<ContentPart> }) => (
  <>
    <h3>{title}</h3>
    {parts.map(({ arguments: given, content, length, name, response, type }, index) => (
      <pre key={index} tabIndex={0}>
        {[
          type === "text" ? "" : `${words(type)} ${name ?? ""}`.trim(),
          content ?? given ?? response ?? `${length} characters`
        ]
          .filter((line) => line !== "")
          .join("\n")}
      </pre>
    ))}
  </>
)

const Fact = (props: { readonly name: string; readonly children: ComponentChildren }) => (
  <div class="tile small">
    <dt>{props.name}</dt>
    <dd>{props.children}</dd>
  </div>
)

const Unrouted = ({
  refusal: { code, count: requests, http_status, limit, message, method }
}: {
  readonly refusal: Refusal
}) => (
  <Card title="Error returned to the client">
    <p>
      <b>{http_status}</b> <code>{code}</code>
      {limit === null ? "" : ` (${limit})`} to a {method}: <Said text={message} />
    </p>
    {requests === 1 ? null : (
      <p class="muted">{`${count(requests)} similar requests arrived within a minute and share this receipt.`}</p>
    )}
  </Card>
)

/** Words from outside: they may be in any direction. */
const Said = ({ text }: { readonly text: string }) => <bdi class="quote">{text.replaceAll(TURNING, "")}</bdi>

const FullBudget = ({ receipt: { key_id, refused_by: by, team } }: { readonly receipt: Receipt }) => {
  if (by === null) return null
  const free = Math.max(0, by.limit_usd - by.used_usd)
  return (
    <Card title="Exhausted budget">
      <p>
        The budget of {exactUsd(by.limit_usd)} {by.window === "total" ? "in total" : `per ${by.window}`} of{" "}
        {by.scope === "key" ? (
          <Link to={`keys/${key_id}`}>its key</Link>
        ) : by.scope !== "team" ? (
          `its ${words(by.scope)}`
        ) : (
          <Link to={pathWith("teams", { q: team ?? "" })}>team {team}</Link>
        )}
        : {exactUsd(by.used_usd)} was used and {exactUsd(free)} was left. This request could have cost{" "}
        {exactUsd(by.needed_usd)}.
      </p>
      <Meter share={by.used_usd / by.limit_usd} label={`${percent(by.used_usd / by.limit_usd)} used`} />
    </Card>
  )
}

const Why = ({ receipt: { decision, key_id, requested_model } }: { readonly receipt: Receipt }) => {
  const sentences = decision.reasons.filter((reason) => !WEIGHT.test(reason))
  const weights = decision.features.map(({ name, weight }) => [name, weight] as const)
  const isScored = decision.bucket !== "none"
  return (
    <Card
      title="Routing decision"
      aside={<Link to={pathWith("router", { key: key_id })}>Explain a prompt with this key</Link>}
    >
      {isScored ? (
        <>
          <Scale
            score={decision.score}
            cuts={decision.cut_points ?? []}
            label={`Score ${decision.score} of 1: bucket ${decision.bucket}`}
          />
          <p>
            The prompt is in bucket <b>{decision.bucket}</b>. Scores go from 0 (a small model is as good) to 1 (needs
            the strongest model).
          </p>
        </>
      ) : (
        <p>
          The caller named <code>{requested_model ?? decision.deployment}</code>, so the router did not choose.
        </p>
      )}
      <ul class="reasons">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {weights.length === 0 ? null : (
        <>
          <h3>Strongest features</h3>
          <Weights weights={weights} />
        </>
      )}
      {decision.considered === null || decision.considered.length === 0 ? null : (
        <>
          <h3>Candidates</h3>
          <div class="table">
            <table>
              <tbody>
                {decision.considered.map((one) => (
                  <tr key={one.deployment}>
                    <td class="mono">{one.deployment}</td>
                    <td>
                      <Badge tone={fateTone(one.fate)}>{words(one.fate)}</Badge> {one.why}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {decision.shadow === null ? null : (
        <p>
          <code>auto</code> would have sent it to <b>{decision.shadow.deployment ?? "no deployment"}</b> (bucket{" "}
          {decision.shadow.bucket}, score {decision.shadow.score}).
        </p>
      )}
    </Card>
  )
}

const Attempts = (props: { readonly attempts: ReadonlyArray<ReceiptAttempt>; readonly whole: number }) => {
  const scale = 100 / Math.max(1, props.whole)
  return (
    <Card title={["No attempts", "One attempt"][props.attempts.length] ?? `${props.attempts.length} attempts`}>
      {props.attempts.length === 0 ? <p class="muted">No deployment was called.</p> : null}
      <ol class="attempts">
        {props.attempts.map((one, index) => (
          <li key={index}>
            <span class="mono">{one.deployment}</span>
            <span>
              <Badge tone={one.outcome === "ok" ? "good" : "bad"}>{words(one.outcome)}</Badge>{" "}
              {one.http_status === null ? "" : one.http_status}
            </span>
            <svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
              <rect class="track" width="100" height="12" />
              <rect
                class={one.outcome === "ok" ? "ok" : "bad"}
                x={one.started_ms * scale}
                width={Math.max(0.4, one.duration_ms * scale)}
                height="12"
              />
              {one.first_token_ms === null ? null : (
                <rect class="mark" x={one.first_token_ms * scale} width="0.5" height="12" />
              )}
            </svg>
            <span class="number">
              {`from ${duration(one.started_ms)}, ${duration(one.duration_ms)}`}
              {one.first_token_ms === null ? "" : `, first token at ${duration(one.first_token_ms)}`}
            </span>
            <span class="number">{exactUsd(one.cost_usd)}</span>
            {one.adapted === undefined ? null : (
              <span class="whole muted">{`Left out or changed: ${one.adapted.join(", ")}`}</span>
            )}
            {one.error === null ? null : (
              <span class="whole">
                {one.http_status === null ? "No response: " : "The provider said: "}
                <Said text={one.error.message} />
                {[one.error.type, one.error.code].some((word) => word !== null) ? (
                  <span class="muted">{` (${[one.error.type, one.error.code].filter((word) => word !== null).join(", ")})`}</span>
                ) : null}
              </span>
            )}
          </li>
        ))}
      </ol>
    </Card>
  )
}

const Usage = ({ receipt }: { readonly receipt: Receipt }) => {
  const { baseline_usd, cost_usd, price } = receipt
  return (
    <Card title="Usage and cost">
      <div class="table">
        <table>
          <thead>
            <tr>
              <th>Class</th>
              <th class="number">Tokens or units</th>
              <th class="number">Rate</th>
              <th class="number">Cost</th>
            </tr>
          </thead>
          <tbody>
            {rowsOf(receipt).map(({ count: used, cost, name, rate }, index) => (
              <tr key={index}>
                <td>{words(name)}</td>
                <td class="number">{used === null ? "–" : count(used)}</td>
                <td class="number">{rate}</td>
                <td class="number">{cost}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <td colSpan={3}>
                {receipt.cost_is_estimate ? "Cost, partly estimated by the gateway" : "Cost in the ledger"}
              </td>
              <td class="number">{exactUsd(cost_usd)}</td>
            </tr>
          </tfoot>
        </table>
      </div>
      {baseline_usd === null || cost_usd === null ? null : (
        <p>The same tokens at the strongest bucket: {exactUsd(baseline_usd)}.</p>
      )}
      <p class="muted">{price === null ? "The price is not known." : `Prices: ${price.source}, ${price.version}.`}</p>
    </Card>
  )
}

interface Row {
  readonly name: string
  readonly count: number | null
  readonly rate: string
  readonly cost: string
}

/** The lines of the price, which add up to the cost; where they are not known, what was used. */
const rowsOf = ({ attempts, price_lines, usage }: Receipt): ReadonlyArray<Row> => {
  if (price_lines === null || price_lines.length === 0) {
    return Object.entries(usage)
      .filter(([name, value]) => value > 0 || name === "input" || name === "output")
      .map(([name, value]) => ({ name, count: value, rate: "", cost: "" }))
  }
  return price_lines.map(({ attempt, class: name, cost_usd, count: used, per, rate_usd, unit }) => ({
    name: attempts.length > 1 ? `${name}, attempt ${attempt}` : name,
    count: used,
    rate: rate_usd === null || per === null ? "" : `${exactUsd(rate_usd)} / ${per === 1 ? unit : short(per)}`,
    cost: exactUsd(cost_usd)
  }))
}
