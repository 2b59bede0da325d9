/**
 * Where the dashboard is, and which page of it is open. The gateway may be served below a path of a proxy: this file was loaded from
 * `…/ui/assets/`, so everything else is found from there.
 */
import { useEffect, useState } from "preact/hooks"

const here = import.meta.url

/** `/ui/` as the browser sees it. */
export const uiPath = new URL("../", here).pathname
/** `/` of the gateway as the browser sees it. */
export const gatewayPath = new URL("../../", here).pathname

export interface Place {
  /** Below `/ui/`, without a slash at either end: "", `requests`, `keys/key_1`. */
  readonly page: string
  readonly query: URLSearchParams
}

const current = (): Place => ({
  page: decodeURI(location.pathname.slice(uiPath.length)).replace(/\/+$/, ""),
  query: new URLSearchParams(location.search)
})

const MOVED = "gateway:moved"

export const go = (to: string, { replace = false } = {}): void => {
  const url = uiPath + to
  if (replace) history.replaceState(null, "", url)
  else history.pushState(null, "", url)
  if (!replace) scrollTo(0, 0)
  dispatchEvent(new Event(MOVED))
}

export const usePlace = (): Place => {
  const [place, setPlace] = useState(current)
  useEffect(() => {
    const update = () => setPlace(current())
    addEventListener("popstate", update)
    addEventListener(MOVED, update)
    return () => {
      removeEventListener("popstate", update)
      removeEventListener(MOVED, update)
    }
  }, [])
  return place
}

/** `requests` with those of `given` that say something: `requests?status=failed`. */
export const pathWith = (page: string, given: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) if (value !== undefined && value !== "") query.set(name, value)
  const text = query.toString()
  return text === "" ? page : `${page}?${text}`
}
