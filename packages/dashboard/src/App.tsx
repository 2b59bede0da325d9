/** The frame around all pages, and which of them is open. */
import type { Me } from "@model-gateway/protocol"
import { useEffect, useState } from "preact/hooks"
import { call } from "./api/Api.ts"
import { useQuery } from "./api/Query.ts"
import { isOfMasterKey, forgetSession, onSession, type SessionState, sessionState } from "./api/Session.ts"
import { Login, SignInAgain } from "./pages/Login.tsx"
import { Overview } from "./pages/overview/Overview.tsx"
import { lazy } from "./parts/Lazy.tsx"
import { Answer, Boundary, Empty, Head, Link } from "./parts/Parts.tsx"
import { gatewayPath, go, pathWith, usePlace, type Place } from "./Place.ts"

const Requests = lazy(async () => (await import("./pages/requests/Requests.tsx")).Requests)
const RequestPage = lazy(async () => (await import("./pages/requests/RequestPage.tsx")).RequestPage)
const Keys = lazy(async () => (await import("./pages/keys/Keys.tsx")).Keys)
const KeyPage = lazy(async () => (await import("./pages/keys/KeyPage.tsx")).KeyPage)
const Spend = lazy(async () => (await import("./pages/spend/Spend.tsx")).Spend)
const Teams = lazy(async () => (await import("./pages/Teams.tsx")).Teams)
const TeamPage = lazy(async () => (await import("./pages/TeamPage.tsx")).TeamPage)
const Deployments = lazy(async () => (await import("./pages/deployments/Deployments.tsx")).Deployments)
const Router = lazy(async () => (await import("./pages/router/Router.tsx")).Router)
const Play = lazy(async () => (await import("./pages/play/Play.tsx")).Play)
const Settings = lazy(async () => (await import("./pages/settings/Settings.tsx")).Settings)
const People = lazy(async () => (await import("./pages/settings/People.tsx")).People)
const Account = lazy(async () => (await import("./pages/Account.tsx")).Account)
const Device = lazy(async () => (await import("./pages/Device.tsx")).Device)
const Audit = lazy(async () => (await import("./pages/settings/Audit.tsx")).Audit)

const LOGIN = "login"

/** Only roles in the whole gateway see them. */
const globalPages: ReadonlyArray<string> = ["deployments", "router"]

/** Path, name, and the letter that opens it after `g`. */
const pages = [
  ["", "Overview", "o"],
  ["requests", "Requests", "r"],
  ["keys", "Keys", "k"],
  ["teams", "Teams", "t"],
  ["spend", "Spend", "c"],
  ["deployments", "Deployments", "d"],
  ["router", "Router", "x"],
  ["play", "Playground", "p"],
  ["settings", "Settings", "s"]
] as const

const useSession = (): SessionState => {
  const [state, setState] = useState(sessionState)
  useEffect(() => onSession(() => setState(sessionState)), [])
  return state
}

const signOut = (): void => {
  // The page forgets its half whatever the gateway says: without it the other opens nothing.
  void call("DELETE", "session")
    .catch(() => undefined)
    .finally(forgetSession)
}

/** `/` goes to the search field, `g` and a letter to a page. */
const useShortcuts = (): void => {
  useEffect(() => {
    let isGoing = false
    const pressed = (event: KeyboardEvent) => {
      const { target } = event
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (target instanceof HTMLElement && target.closest("input, textarea, select, dialog") !== null) return
      if (event.key === "/") {
        const search = document.querySelector<HTMLInputElement>("input[type=search]")
        if (search !== null) {
          event.preventDefault()
          search.focus()
        }
      }
      const page = isGoing ? pages.find(([, , letter]) => letter === event.key) : undefined
      if (page !== undefined) go(page[0])
      isGoing = event.key === "g"
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [])
}

const Page = ({ me, place }: { readonly me: Me; readonly place: Place }) => {
  const [name = "", id] = place.page.split("/")
  if (name === "") return <Overview place={place} />
  if (name === "requests") return id === undefined ? <Requests place={place} /> : <RequestPage key={id} id={id} />
  if (name === "keys") return id === undefined ? <Keys place={place} /> : <KeyPage key={id} id={id} />
  if (name === "deployments") return <Deployments place={place} />
  if (name === "teams" && id !== undefined) return <TeamPage key={id} name={decodeURIComponent(id)} />
  if (name === "teams") return <Teams place={place} />
  if (name === "spend") return <Spend place={place} />
  if (name === "router") return <Router place={place} />
  if (name === "play") return <Play />
  if (name === "device") return <Device />
  if (name === "account") return <Account me={me} place={place} />
  if (name === "settings" && id === "people") return <People place={place} mayChange={me.role === "admin"} />
  if (name === "settings") return id === "audit" ? <Audit place={place} /> : <Settings me={me} />
  return (
    <>
      <Head title="No such page" />
      <Empty title={`Nothing is at ${place.page}.`}>
        <Link to="">To the overview</Link>
      </Empty>
    </>
  )
}

const administrator: Me = { object: "me", kind: "session", id: "", name: null, email: null, role: "admin", teams: [] }

export const App = () => {
  const place = usePlace()
  const session = useSession()
  useShortcuts()
  const asked = useQuery<Me>(session === "in" && !isOfMasterKey() ? "me" : undefined)
  const me = isOfMasterKey() ? { ...asked, data: administrator } : asked
  const isLogin = place.page === LOGIN
  useEffect(() => {
    if (session === "out" && !isLogin) {
      const next = place.page + location.search
      go(pathWith(LOGIN, { next }), { replace: true })
    }
    if (session === "in" && isLogin) go(place.query.get("next") ?? "", { replace: true })
  }, [session, isLogin])
  if (isLogin || session === "out") return <Login />
  const section = place.page.split("/")[0]
  return (
    <div class="frame">
      <nav aria-label="Pages">
        <p class="brand">Model Gateway</p>
        {pages.map(([path, name]) =>
          me.data?.role === null && globalPages.includes(path) ? null : (
            <Link key={path} to={path} current={section === path}>
              {name}
            </Link>
          )
        )}
        <span class="gap" />
        {me.data?.kind !== "user" ? null : (
          <Link to="account" current={section === "account"}>
            {me.data.name ?? me.data.email ?? "My account"}
          </Link>
        )}
        <a href={`${gatewayPath}docs`}>API reference</a>
        <button onClick={signOut}>Sign out</button>
      </nav>
      <main>
        <Boundary key={place.page}>
          <Answer query={me}>{(found) => <Page me={found} place={place} />}</Answer>
        </Boundary>
      </main>
      {session === "ended" ? <SignInAgain /> : null}
    </div>
  )
}
