/** What a page shows, and keeps current while somebody looks. */
import { useCallback, useEffect, useState } from "preact/hooks"
import { ApiError, call } from "./Api.ts"
import { onSession, sessionState } from "./Session.ts"

export interface Query<A> {
  /** The last good answer, also while the next one is on its way or has failed. */
  readonly data: A | undefined
  readonly error: ApiError | undefined
  /** It answers the question before, as the answer to this one has not come. */
  readonly isOld: boolean
  readonly reload: () => void
}

interface State<A> {
  readonly path: string | undefined
  readonly data: A | undefined
  readonly error: ApiError | undefined
}

export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(String(error), 0, null)

/** `GET /admin/<path>`; undefined: nothing. `everyMs`: again after that time, while the page is visible. */
export const useQuery = <A>(path: string | undefined, everyMs?: number): Query<A> => {
  const [state, setState] = useState<State<A>>({ path, data: undefined, error: undefined })
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (path === undefined) return undefined
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = () => {
      if (everyMs !== undefined) timer = setTimeout(load, everyMs)
    }
    const load = (): void => {
      if (document.hidden || sessionState() === "ended") return again()
      call<A>("GET", path, undefined, stop.signal)
        .then((data) => {
          setState({ path, data, error: undefined })
        })
        .catch((error: unknown) => {
          if (!stop.signal.aborted) {
            setState((old) => ({ path, data: old.path === path ? old.data : undefined, error: asApiError(error) }))
          }
        })
        .finally(() => {
          if (!stop.signal.aborted) again()
        })
    }
    load()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [path, everyMs, round])
  const reload = useCallback(() => setRound((old) => old + 1), [])
  useEffect(() => onSession(() => sessionState() === "in" && reload()), [])
  return { data: state.data, error: state.error, isOld: state.path !== path && state.data !== undefined, reload }
}
