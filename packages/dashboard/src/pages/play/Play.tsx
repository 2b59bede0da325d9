/** The playground: a prompt, one model or two side by side, and what each response reports. */
import { useEffect, useState } from "preact/hooks"
import type { ApiError } from "../../api/Api.ts"
import { asApiError } from "../../api/Query.ts"
import { dateAndTime } from "../../Format.ts"
import { Card, Failure, Head, Link, Loading } from "../../parts/Parts.tsx"
import { chatModels } from "./Chat.ts"
import { Code } from "./Code.tsx"
import { Conversation } from "./Conversation.tsx"
import { forgetPlayKey, makePlayKey, playKey, type PlayKey } from "./PlayKey.ts"

export const Play = () => {
  const [key, setKey] = useState(playKey())
  const another = () => {
    forgetPlayKey()
    setKey(undefined)
  }
  return (
    <>
      <Head title="Playground">
        {key === undefined ? null : (
          <>
            <span class="muted">
              with <Link to={`keys/${key.id}`}>a key</Link> until {dateAndTime(new Date(key.endsAt).toISOString())}
            </span>
            <button onClick={another}>New key</button>
          </>
        )}
      </Head>
      {key === undefined ? <Begin begun={setKey} /> : <Room of={key} />}
    </>
  )
}

const Begin = ({ begun }: { readonly begun: (key: PlayKey) => void }) => {
  const [error, setError] = useState<ApiError | undefined>(undefined)
  return (
    <Card title="A key for an hour">
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault()
          makePlayKey(Number(new FormData(event.currentTarget).get("usd")))
            .then(begun)
            .catch((cause: unknown) => setError(asApiError(cause)))
        }}
      >
        <p>
          Prompts are sent to real models and charged. The playground uses its own key, named <code>playground</code>,
          which has this budget and expires after an hour. Its secret stays in this page.
        </p>
        <label>
          Budget, USD
          <input name="usd" type="number" min="0" step="any" required defaultValue="0.5" />
        </label>
        {error === undefined ? null : <Failure error={error} />}
        <p>
          <button class="primary">Create key</button>
        </p>
      </form>
    </Card>
  )
}

const Room = ({ of: key }: { readonly of: PlayKey }) => {
  const [models, setModels] = useState<ReadonlyArray<string> | undefined>(undefined)
  const [error, setError] = useState<ApiError | undefined>(undefined)
  const [chosen, setChosen] = useState<ReadonlyArray<string>>([])
  const [prompt, setPrompt] = useState("")
  /** What both were asked: each conversation takes it up once. */
  const [asked, setAsked] = useState<{ readonly round: number; readonly content: string } | undefined>(undefined)
  useEffect(() => {
    chatModels(key.secret)
      .then((found) => {
        setModels(found)
        setChosen(found.slice(0, 1))
      })
      .catch((cause: unknown) => setError(asApiError(cause)))
  }, [key])
  if (error !== undefined) return <Failure error={error} />
  if (models === undefined) return <Loading />
  const choose = (place: number, name: string) => setChosen(chosen.map((old, at) => (at === place ? name : old)))
  const another = models.find((name) => !chosen.includes(name)) ?? models[0]
  return (
    <>
      <div class="columns">
        {chosen.map((model, place) => (
          <Conversation key={place} secret={key.secret} model={model} asked={asked}>
            <select
              aria-label={`Model ${place + 1}`}
              value={model}
              onChange={(event) => choose(place, event.currentTarget.value)}
            >
              {models.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </Conversation>
        ))}
      </div>
      <form
        class="fields wide"
        onSubmit={(event) => {
          event.preventDefault()
          setAsked({ round: (asked?.round ?? 0) + 1, content: prompt })
          setPrompt("")
        }}
      >
        <label>
          Prompt
          <textarea
            rows={3}
            required
            value={prompt}
            onInput={(event) => setPrompt(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
            }}
          />
        </label>
        <div class="row">
          <button class="primary">Send</button>
          {chosen.length === 1 && another !== undefined ? (
            <button type="button" onClick={() => setChosen([...chosen, another])}>
              Compare with another model
            </button>
          ) : (
            <button type="button" onClick={() => setChosen(chosen.slice(0, 1))}>
              One model
            </button>
          )}
          <span class="muted">Send with Ctrl+Enter or Cmd+Enter.</span>
        </div>
      </form>
      <Code model={chosen[0] ?? "auto"} prompt={asked?.content ?? (prompt === "" ? "Hello" : prompt)} />
    </>
  )
}
