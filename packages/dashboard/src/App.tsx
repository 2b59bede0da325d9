/** The frame around all pages, and which of them is open. */
import { useEffect, useState } from "preact/hooks"
import { call } from "./api/Api.ts"
import { forgetSession, onSession, sessionToken } from "./api/Session.ts"
import { Deployments } from "./pages/Deployments.tsx"
import { Explain } from "./pages/Explain.tsx"
import { KeyPage } from "./pages/KeyPage.tsx"
import { Keys } from "./pages/Keys.tsx"
import { Login } from "./pages/Login.tsx"
import { Overview } from "./pages/Overview.tsx"
import { RequestPage } from "./pages/RequestPage.tsx"
import { Requests } from "./pages/Requests.tsx"
import { Empty, Head, Link } from "./parts/Parts.tsx"
import { gatewayPath, go, pathWith, usePlace, type Place } from "./Place.ts"

const LOGIN = "login"

/** Path, name, and the letter that opens it after `g`. */
const pages = [
  ["", "Overview", "o"],
  ["requests", "Requests", "r"],
  ["keys", "Keys", "k"],
  ["deployments", "Deployments", "d"],
  ["router", "Router", "x"]
] as const

const useIsSignedIn = (): boolean => {
  const [isSignedIn, setSignedIn] = useState(sessionToken() !== null)
  useEffect(() => onSession(() => setSignedIn(sessionToken() !== null)), [])
  return isSignedIn
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

const Page = ({ place }: { readonly place: Place }) => {
  const [name = "", id] = place.page.split("/")
  if (name === "") return <Overview place={place} />
  if (name === "requests") return id === undefined ? <Requests place={place} /> : <RequestPage key={id} id={id} />
  if (name === "keys") return id === undefined ? <Keys place={place} /> : <KeyPage key={id} id={id} />
  if (name === "deployments") return <Deployments />
  if (name === "router") return <Explain />
  return (
    <>
      <Head title="No such page" />
      <Empty title={`Nothing is at ${place.page}.`}>
        <Link to="">To the overview</Link>
      </Empty>
    </>
  )
}

export const App = () => {
  const place = usePlace()
  const isSignedIn = useIsSignedIn()
  useShortcuts()
  const isLogin = place.page === LOGIN
  useEffect(() => {
    if (!isSignedIn && !isLogin) {
      const next = place.page + location.search
      go(pathWith(LOGIN, { next }), { replace: true })
    }
    if (isSignedIn && isLogin) go(place.query.get("next") ?? "", { replace: true })
  }, [isSignedIn, isLogin])
  if (isLogin || !isSignedIn) return <Login />
  const section = place.page.split("/")[0]
  return (
    <div class="frame">
      <nav aria-label="Pages">
        <p class="brand">Model Gateway</p>
        {pages.map(([path, name]) => (
          <Link key={path} to={path} current={section === path}>
            {name}
          </Link>
        ))}
        <span class="gap" />
        <a href={`${gatewayPath}docs`}>API reference</a>
        <button onClick={signOut}>Sign out</button>
      </nav>
      <main>
        <Page place={place} />
      </main>
    </div>
  )
}
